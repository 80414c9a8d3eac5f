module github.com/proxybd/proxybd

go 1.26

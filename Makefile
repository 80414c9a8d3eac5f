# make check is what a contributor runs before a commit; make ci is what CI runs.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION     := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# Nothing in a binary depends on the folder, the user or the time of the build.
BUILD       := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$(VERSION)"

.PHONY: build test check ci bench cross fmt lint fuzz

build:
	$(BUILD) -o bin/proxybd ./cmd/proxybd

# The README's test command.
test:
	$(GO) test ./...

fmt:
	@bad=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); if [ -n "$$bad" ]; then echo "gofmt would change:"; echo "$$bad"; exit 1; fi

lint: fmt
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

check: lint test
	$(GO) test -tags purego ./internal/... ./autodiff/... ./nn/...
	$(MAKE) cross

ci: check build
	./bin/proxybd version

# Every platform that we promise builds as a static binary.
cross:
	@for p in $(PLATFORMS); do \
	  echo "build $$p"; \
	  GOOS=$${p%/*} GOARCH=$${p#*/} $(BUILD) -o /dev/null ./cmd/proxybd || exit 1; \
	done

bench:
	$(GO) test -run '^$$' -bench . -benchtime 1s ./...

# Ten seconds on every fuzz target.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime 10s $$pkg || exit 1; \
	  done; \
	done

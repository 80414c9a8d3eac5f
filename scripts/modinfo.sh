#!/bin/sh
# modinfo.sh VERSION GOOS GOARCH prints the build information that the Makefile links in: what Go writes by itself, with the
# version of the module and without the sums of its dependencies. Go has these only where it builds from the module cache;
# without them a build from a vendor folder, offline, is the same to the bit. The sums are in go.sum, and in the bill of
# materials of a release.
set -eu
cd "$(dirname "$0")/.."
frame=proxybd.buildinf # the 16 bytes before and after, which readers of the information pass over
printf 'runtime.modinfo=%spath\tgithub.com/proxybd/proxybd/cmd/proxybd\nmod\tgithub.com/proxybd/proxybd\t%s\t\n' "$frame" "$1"
GOOS=$2 GOARCH=$3 ${GO:-go} list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}' ./cmd/proxybd |
  sort -u | while read -r path version; do [ -z "$path" ] || printf 'dep\t%s\t%s\t\n' "$path" "$version"; done
printf 'build\t-trimpath=true\nbuild\tCGO_ENABLED=0\nbuild\tGOARCH=%s\nbuild\tGOOS=%s\n' "$3" "$2"
case $3 in
amd64) printf 'build\tGOAMD64=%s\n' "${GOAMD64:-v1}" ;;
arm64) printf 'build\tGOARM64=%s\n' "${GOARM64:-v8.0}" ;;
esac
printf '%s' "$frame"

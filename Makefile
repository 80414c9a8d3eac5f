# make check is what a contributor runs before a commit; make ci is what CI runs.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION     := $(shell cat VERSION 2>/dev/null || git describe --tags --always --dirty 2>/dev/null || echo unknown)
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
MODULE      := github.com/proxybd/proxybd
# $(call compile,GOOS,GOARCH,FILE): nothing in the binary depends on the folder, the user or the time of the build, nor on
# where the dependencies come from (the module cache, or a vendor folder).
compile      = CGO_ENABLED=0 GOOS=$(1) GOARCH=$(2) $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -buildid= \
	-X $(MODULE)/cli.version=$(VERSION) -X '$$(GO=$(GO) scripts/modinfo.sh $(VERSION) $(1) $(2))'" -o $(3) ./cmd/proxybd

.PHONY: build test check ci bench cross fmt lint fuzz generate test-arm64 paper-small paper-headline scale-check web web-test team-test network-test fault-test slurm-test cluster-test python-test latex-test peers-test man release container

build:
	$(call compile,$$($(GO) env GOOS),$$($(GO) env GOARCH),bin/proxybd)

# The README's test command.
test:
	$(GO) test ./...

fmt:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "gofmt would change:"; echo "$$bad"; exit 1; fi

lint: fmt
	$(GO) vet ./...
	$(GO) vet -tags ablation ./tools/ablation
	$(GO) vet -tags peers ./lp/mps ./bnb ./cli ./iis
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
	  $(call compile,$${p%/*},$${p#*/},/dev/null) || exit 1; \
	done
	GOOS=js GOARCH=wasm $(GO) vet ./web/wasm

bench:
	$(GO) test -run '^$$' -bench . -benchtime 1s ./...

# Ten seconds on every fuzz target.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime 10s $$pkg || exit 1; \
	  done; \
	done

# Writes the assembly of internal/f64 anew from its generator, a module of its own; a test compares the two.
generate:
	$(GO) generate ./internal/f64

# The tests of the kernels, autodiff and nn as an arm64 processor runs them, under qemu-user. The emulator is
# Debian's package qemu-user-static, which this target installs if it is missing and apt-get is there.
test-arm64:
	@command -v qemu-aarch64-static >/dev/null || { command -v apt-get >/dev/null && apt-get install -y --no-install-recommends qemu-user-static; }
	GOARCH=arm64 CGO_ENABLED=0 $(GO) test -exec qemu-aarch64-static ./internal/f64/... ./autodiff/... ./nn/...

# The paper's experiment at reduced scale, its networks and runs beside ours with the controls of both, from raw instances
# to report/small/report/report.html: many hours on two cores, an hour of them for each network of the paper's. Started
# again, it goes on where it was; the script says what makes it shorter.
paper-small: build
	./scripts/paper-small.sh

# The paper's headline figure beside ours, ufl of 2000x2000: some hours; scripts/paper-headline.sh says what can be set.
paper-headline: build
	./scripts/paper-headline.sh

# One held-out instance each of the largest shapes, ten minutes a method at most: what every method returns.
scale-check: build
	./scripts/scale-check.sh

# A real single-node Slurm (Debian's slurm-wlm, installed if it is missing; needs root) runs an experiment as job arrays.
slurm-test: build
	./scripts/slurm-test.sh

# Package cluster under real launchers on this machine: mpiexec of MPICH and srun of Slurm (installed if they are missing;
# needs root), the variables of an Indexed Job, an address file; processes are killed, and the answers stay the same.
cluster-test:
	./scripts/cluster-test.sh

# The page that solves in the browser, in web/dist: for a web server, and as a single file (proxybd.html).
web:
	mkdir -p web/dist
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X $(MODULE)/cli.version=$(VERSION)" \
	  -o web/dist/proxybd.wasm ./web/wasm
	$(GO) run ./tools/webpage -wasm web/dist/proxybd.wasm -from web -to web/dist
	rm web/dist/proxybd.wasm

# The page in headless Chromium (Debian's package, installed if it is missing): files are dropped on it, answers compared with
# known optima, and pictures of it written to web/dist/test.
web-test: web
	@command -v chromium >/dev/null || apt-get install -y --no-install-recommends chromium
	cd tools/webtest && $(GO) run . -dist ../../web/dist -data ../../../shared/data

# Runs of several processes: under mpiexec, with workers that are killed, and with a coordinator that gets SIGTERM.
team-test: build
	./scripts/team-test.sh

# The report of a small experiment, compiled by pdflatex and lualatex, which this target installs if they are missing.
latex-test: build
	./scripts/latex-test.sh

# Runs of several processes over a link that delays and loses packets, and is cut: two network namespaces (needs root).
network-test: build
	./scripts/network-test.sh

# Runs of three processes that are killed or get SIGTERM at random moments: N of them with a worker that is killed.
N ?= 100
fault-test: build
	./scripts/fault-test.sh $(N)

# The Python module with its own tests and those of PuLP, whose packages this target installs if they are missing.
python-test: build
	@/usr/bin/python3 -c 'import pulp' 2>/dev/null && command -v cbc >/dev/null || apt-get install -y --no-install-recommends python3-pulp coinor-cbc
	PROXYBD=$(CURDIR)/bin/proxybd PYTHONPATH=$(CURDIR)/bindings/python PYTHONDONTWRITEBYTECODE=1 \
	  /usr/bin/python3 -m unittest discover -s bindings/python/tests

# Tests beside other solvers, HiGHS, SCIP, CBC and GLPK, those that are installed: random models through their writers and
# readers, optima, bases and points. PROXYBD_PEERS is a folder of some that are not in the path, PROXYBD_BULK the number of
# models for each pair of formats.
peers-test:
	PROXYBD_BULK=$${PROXYBD_BULK:-1000} $(GO) test -tags peers -run 'Peer|GLPK|OthersRead' -v -timeout 2h ./lp/mps ./bnb ./cli

# The manual pages, in man/.
man:
	$(GO) run -tags man ./cmd/proxybd man man

# The files of a release, in dist/: an archive for each platform, the source with its dependencies, the networks of the
# paper's experiment, a bill of materials and the checksums of all. Of a commit they are the same wherever and whenever
# they are made with the same Go.
release:
	@git diff --quiet HEAD || { echo "release: the checkout has changes; commit them first" >&2; exit 1; }
	rm -rf dist
	mkdir -p dist/build/source dist/build/completions
	git archive HEAD | tar -x -C dist/build/source
	cd dist/build/source && echo $(VERSION) > VERSION && $(GO) mod vendor
	@set -e; for p in $(PLATFORMS); do \
	  echo "build $$p"; \
	  f=dist/build/$${p%/*}-$${p#*/}/proxybd; case $$p in windows/*) f=$$f.exe ;; esac; \
	  $(call compile,$${p%/*},$${p#*/},$$f); \
	done
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(GO) run -tags man -ldflags "-X $(MODULE)/cli.version=$(VERSION)" ./cmd/proxybd man dist/build/man
	$(GO) run ./cmd/proxybd completion bash > dist/build/completions/proxybd.bash
	$(GO) run ./cmd/proxybd completion zsh > dist/build/completions/_proxybd
	$(GO) run ./cmd/proxybd completion fish > dist/build/completions/proxybd.fish
	$(GO) run ./cmd/proxybd completion powershell > dist/build/completions/proxybd.ps1
	$(GO) run ./tools/release -version $(VERSION) -epoch $$(git log -1 --format=%ct) -from dist/build -to dist
	rm -rf dist/build
	cat dist/SHA256SUMS

# An image with nothing but the program, from Containerfile, by podman, docker or what CONTAINER names.
CONTAINER ?= $(firstword $(foreach program,podman docker,$(if $(shell command -v $(program)),$(program))))
container:
	@test -n "$(CONTAINER)" || { echo "make container: neither podman nor docker is installed; CONTAINER names another" >&2; exit 1; }
	$(CONTAINER) build -t proxybd:$(VERSION) --build-arg VERSION=$(VERSION) .

# SPDX-License-Identifier: Apache-2.0
# The front door. Each of these is the only command that is needed, on a fresh Debian 12 machine.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
export CMD

.PHONY: all demo test test-long test-apps test-serve test-service bench bench-http fuzz tidy install clean

all: ## Build what is installed, optimised
	@scripts/deps build
	@scripts/build release

demo: all ## Plain servers natively and under weft; CMD='...' runs your own program
	@scripts/demo

test: ## Every test, on every preset, and the closing line that counts them
	@scripts/deps build test
	@scripts/test

test-long: all ## The stress of the engine: 200 runs, ten million rounds, all schedules; about 40 minutes
	@scripts/test-long

test-apps: ## Other people's programs natively and under weft; writes docs/compatibility.md
	@scripts/deps build apps
	@scripts/test-apps

test-serve: ## The web server at its limits, and beside others; writes docs/http_strictness.md
	@scripts/deps build servers
	@scripts/test-serve

test-service: ## The reference service: 50 ends under load, databases that go and come, replicas behind HAProxy
	@scripts/deps build servers
	@scripts/test-service

bench: ## Ours beside its rivals, as ratios in one run
	@scripts/deps build bench mariadb
	@scripts/build release
	@build/release/tools/weft/weft bench budget; budget=$$?; \
	build/release/tools/weft/weft bench engine; engine=$$?; \
	build/release/tools/weft/weft bench mariadb && exit $$((budget | engine))

bench-http: ## StreetLegal beside Apache, Node, Go and nginx: hours, and a page at the end
	@scripts/deps build bench
	@scripts/build release
	@build/release/tools/weft/weft bench http --repeats 15 --report build/bench_http.html

fuzz: ## Each parser under libFuzzer for FUZZ_SECONDS
	@scripts/deps build fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

tidy: all ## clang-tidy over all of it
	@scripts/tidy

install: all ## Into PREFIX (DESTDIR is honoured)
	@cmake --install build/release --prefix "$(PREFIX)"

clean: ## Forget everything that was built
	@rm -rf build

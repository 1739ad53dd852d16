# make demo   what Korba does, in files you can open
# make test   everything CI runs: format, lint, types, tests, documentation
# make quick  the first case of every test that is not slow: under two minutes, all rooms
# make bench  Korba's speed beside that of other libraries
# make laws   the laws on random mechanisms, those of tests/laws on 1,000 each
# make peers  Korba's answers beside those of Pinocchio and MuJoCo, on every robot there is
#
# The suite in other environments (TESTS="tests/codegen tests/verbs" runs a part of it):
# make pythons      with Python 3.11 to 3.14, as far as they can be had (VERSIONS="3.13 3.14")
# make lowest       with the lowest versions that pyproject.toml names
# make newest       with the newest versions, pre-releases too
# make extras       each extra alone: its example, and what the others say (EXTRAS="plot pdf")
# make constraints  writes constraints.txt from the environment of make test

# Kept, whatever the environment says: the suite starts Python hundreds of times.
export PYTHONDONTWRITEBYTECODE :=

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input

STAMP_RUN := $(VENV)/.stamp-run
STAMP_TEST := $(VENV)/.stamp-test
STAMP_BROWSER := $(VENV)/.stamp-browser
STAMP_BENCH := $(VENV)/.stamp-bench

# An environment set up for the tests can run the demo too.
STAMP_DEMO := $(if $(wildcard $(STAMP_TEST)),$(STAMP_TEST),$(STAMP_RUN))

.NOTPARALLEL:
.PHONY: demo test quick check unit slow docs laws bench peers pythons lowest newest extras constraints format clean

demo: $(STAMP_DEMO)
	@echo "== demo"
	@$(BIN)/korba demo --out out

test: check unit docs
	@echo "== all passed"

quick: $(STAMP_TEST)
	@echo "== quick tests (pytest)"
	@$(BIN)/pytest -n auto -m quick --durations=5 --durations-min=2

check: $(STAMP_TEST)
	@echo "== format (ruff format --check)"
	@$(BIN)/ruff format --check .
	@echo "== lint (ruff check)"
	@$(BIN)/ruff check .
	@echo "== types (mypy)"
	@$(BIN)/mypy

unit: $(STAMP_BROWSER)
	@echo "== tests (pytest)"
	@$(BIN)/pytest -n auto -rs

slow: $(STAMP_TEST)
	@echo "== which tests are slow (tests/slow.txt)"
	@rm -rf build/times && mkdir -p build/times
	@KORBA_TIMES=build/times $(BIN)/pytest -n auto
	@$(BIN)/python tests/selection.py build/times

docs: $(STAMP_BROWSER)
	@echo "== documentation (sphinx-build)"
	@$(BIN)/sphinx-build -W --keep-going -q -j auto -b html docs docs/_build/html
	@echo "== every page of it, without network"
	@$(BIN)/python docs/check_pages.py docs/_build/html

laws: $(STAMP_TEST)
	@echo "== laws (1,000 random mechanisms each)"
	@KORBA_LAWS=1000 $(BIN)/pytest -n auto -m law

bench: $(STAMP_BENCH)
	@echo "== benchmarks"
	@$(BIN)/python benchmarks/run.py

peers: $(STAMP_BENCH)
	@echo "== peers"
	@$(BIN)/python benchmarks/peers/compare.py

ENVIRONMENTS := tests/environments/run.py

pythons: | $(BIN)/pip
	@$(BIN)/python $(ENVIRONMENTS) pythons $(VERSIONS:%=--version %) $(TESTS)

lowest newest: | $(BIN)/pip
	@$(BIN)/python $(ENVIRONMENTS) $@ $(TESTS)

extras: | $(BIN)/pip
	@$(BIN)/python $(ENVIRONMENTS) extras $(EXTRAS:%=--extra %)

constraints: $(STAMP_TEST)
	@$(BIN)/python $(ENVIRONMENTS) constraints

format: $(STAMP_TEST)
	@echo "== format (ruff)"
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean:
	@echo "== clean (the environment in $(VENV) stays)"
	@rm -rf out build dist docs/_build docs/elements docs/reference docs/jupyter_execute .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +

$(BIN)/pip:
	@echo "== environment ($(VENV))"
	@$(PYTHON) -m venv $(VENV)

$(STAMP_RUN): pyproject.toml | $(BIN)/pip
	@echo "== install korba"
	@$(PIP_INSTALL) -e .
	@touch $@

$(STAMP_TEST): pyproject.toml | $(BIN)/pip
	@echo "== install korba, with what the tests and the documentation need"
	@$(PIP_INSTALL) -e ".[test,docs]"
	@touch $@

# Without a browser the tests of pages are skipped, in CI they fail; the next run tries again.
$(STAMP_BROWSER): $(STAMP_TEST) tests/browser/chromium.py
	@echo "== a browser for the tests of pages"
	@if $(BIN)/python tests/browser/chromium.py; then touch $@; fi

$(STAMP_BENCH): pyproject.toml | $(BIN)/pip
	@echo "== install korba, with the libraries it is compared with"
	@$(PIP_INSTALL) -e ".[bench]"
	@touch $@

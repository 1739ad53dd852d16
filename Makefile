# make demo   what Korba does, in files you can open
# make test   everything CI runs: format, lint, types, tests, documentation
# make quick  the first case of every test that is not slow: under two minutes, all rooms
# make        lists all jobs
#
# A job is defined in jobs/__main__.py: `make demo` is `python -m jobs demo`, which needs no make.
# Words for a job: TESTS="tests/codegen tests/verbs", VERSIONS="3.13 3.14", EXTRAS="plot pdf", QUICK=1.

PYTHON ?= python3
WORDS = $(if $(QUICK),--quick) $(VERSIONS:%=--version %) $(EXTRAS:%=--extra %) $(TESTS)
JOBS := demo test quick check unit light docs slow laws peers bench compare pythons lowest newest \
        extras constraints format workflows changelog address release clean

.PHONY: help $(JOBS)
.NOTPARALLEL:

help:
	@$(PYTHON) -m jobs

$(JOBS):
	@$(PYTHON) -m jobs $@ $(WORDS)

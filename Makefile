# graphmem from a checkout: `make tour` shows it at work, `make test` checks all of it.
# Both make their own virtual environment in .venv, with uv where it is installed and with plain venv elsewhere;
# nothing is installed outside this folder. PYTHON=... chooses the interpreter (3.11 to 3.14).

VENV := .venv
BIN := $(VENV)/bin
SUPPORTED := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))

.DEFAULT_GOAL := help
.PHONY: help tour test lint format bench clean

help:
	@echo "make tour   a guided tour on the sample memories"
	@echo "make test   lint, types, import rules and every test"
	@echo "make lint   the checks without the tests"
	@echo "make format write the code the way the checks want it"
	@echo "make bench  the measured promises"
	@echo "make clean  remove the virtual environment and the caches"

tour: $(VENV)/.installed
	@$(BIN)/graphmem tour

test: lint
	$(BIN)/python -m pytest -q -n 2

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed-dev
	@set -e; for file in benchmarks/[a-z]*.py; do \
		$(BIN)/python -m benchmarks.$$(basename $$file .py); done

clean:
	rm -rf $(VENV) .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# The stamps are older than pyproject.toml when what has to be installed may have changed.
$(VENV)/.installed: pyproject.toml
	$(call install,,.)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml
	$(call install,--extra dev,.[dev])
	@touch $@ $(VENV)/.installed

# $(1): what uv adds to the locked core; $(2): the same in pip's words.
define install
	@set -e; \
	if uv --version >/dev/null 2>&1; then \
		UV_PROJECT_ENVIRONMENT=$(VENV) uv sync --quiet --locked $(1) $(if $(PYTHON),--python $(PYTHON)); \
	else \
		for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11 python3; do \
			if $$python -c '$(SUPPORTED)' 2>/dev/null; then found=$$python; break; fi; \
		done; \
		if [ -z "$$found" ]; then \
			echo "graphmem needs Python 3.11 to 3.14 with the venv module (on Debian: apt-get install python3-venv)," >&2; \
			echo "or uv, which brings its own Python." >&2; exit 1; \
		fi; \
		[ -x $(BIN)/python ] || $$found -m venv $(VENV); \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '$(2)'; \
	fi
endef

# make audit   the main job: audit the sample report (sets up .venv by itself)
# make test    everything that is checked before a change lands
# Only Python 3.11+ and make are needed; no target installs torch.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# -qq: pip says nothing unless something fails.
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq

.PHONY: audit test samples schemas docs clean

# The exit code is the finding (0 absent, 1 mentioned, 3 not established), so make stops if the sample is not absent.
audit: $(VENV)/.installed
	$(BIN)/docaudit audit samples/commodity-report.pdf --concepts samples/ai-power.csv \
		--question "How much electricity does AI consume?" --out out

test: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 --dist loadfile

samples: $(VENV)/.installed-samples
	$(BIN)/python samples/make_samples.py

schemas: $(VENV)/.installed
	$(BIN)/python schemas/generate.py

docs: $(VENV)/.installed
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The stamps make a second run quick: pip runs again only when pyproject.toml has changed.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) -e .
	touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[test,lint]"
	touch $@ $(VENV)/.installed

$(VENV)/.installed-samples: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[samples]"
	touch $@

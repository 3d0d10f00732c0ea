# `make demo` and `make test` do all the set-up on a fresh machine with Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# `make setup TORCH_BACKEND=cpu` takes the small CPU build of torch instead of the CUDA one.
TORCH_BACKEND ?=
UV_FLAGS := $(if $(TORCH_BACKEND),--torch-backend=$(TORCH_BACKEND),)

.PHONY: setup demo test lint lock clean help
help:
	@echo "make demo | test | lint | lock | setup | clean"

setup: $(READY)
$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "pairwright needs Python 3.11 or newer: make setup PYTHON=/path/to/python3.11"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.5'
	@echo "setup: installing the pinned requirements into $(VENV) (once)"
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet $(UV_FLAGS) -r requirements.txt
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --no-deps -e .
	@touch $(READY)

demo: $(READY)
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/demo.sh

test: $(READY)
	@$(BIN)/python -m pytest $(ARGS)

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

lock:
	@$(BIN)/uv pip compile --quiet --universal --no-emit-index-url --python-version 3.11 --extra dev \
	  --no-emit-find-links --custom-compile-command "make lock" pyproject.toml -o requirements.txt

clean:
	rm -rf $(VENV) build dist output/demo

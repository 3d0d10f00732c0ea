# `make demo` and `make test` do all the set-up on a fresh machine with Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Which build of torch: cpu, a CUDA version such as cu130, or index. Without it, cpu where Linux has no NVIDIA driver.
export TORCH_BACKEND ?=
# Compiled once, not in every process: that is half of the time of the tests and of a command's start.
export PYTHONDONTWRITEBYTECODE :=

# Of the random files of `make test-slow`.
SEED ?= $(shell date +%s)

.PHONY: setup demo test test-slow gpu lint docs lock clean help
help:
	@echo "make demo | test | test-slow | gpu | lint | docs | lock | setup | clean"

setup: $(READY)
$(READY): requirements.txt pyproject.toml scripts/install.sh
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "pairwright needs Python 3.11 or newer: make setup PYTHON=/path/to/python3.11"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.5'
	@sh scripts/install.sh $(VENV)
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --no-deps -e .
	@touch $(READY)

demo: $(READY)
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/demo.sh

test: $(READY)
	@$(BIN)/python -m pytest $(ARGS)

# Killed runs, the embedded models, Dask, a record of the network, and five minutes of files that hold anything.
test-slow: $(READY)
	@echo "the same files again: make test-slow SEED=$(SEED)"
	@PAIRWRIGHT_FUZZ_SECONDS=300 PAIRWRIGHT_FUZZ_SEED=$(SEED) \
	  $(BIN)/python -m pytest -m '(slow or fuzz) and not gpu and not network' $(ARGS)

# On a machine with a GPU: the tests that need one, and its tables for docs/benchmarks.md, beside other programs where
# the folder DATA has them (benchmarks/scoring_material.py says how it is filled).
DATA ?= output/benchmarks
gpu: $(READY)
	@$(BIN)/python -c 'import sys, torch; sys.exit(None if torch.cuda.is_available() else "torch sees no GPU here")'
	@$(BIN)/python -m pytest -m gpu -n 0 $(ARGS)
	@$(BIN)/python -c 'from pairwright.models.load.models import hardware_name as n; print("## On a", n("cuda"), "\n")'
	@DEVICE=cuda DTYPE=bfloat16 BATCH=256 $(BIN)/python benchmarks/all.py $(DATA) scoring_peers.sentences
	@$(BIN)/python benchmarks/all.py $(DATA) scoring_gpu.simulated

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

# The documentation as a site, in output/docs; a link or an anchor that leads nowhere fails it.
docs: $(READY)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "docs: output/docs/index.html"

lock:
	@$(BIN)/uv pip compile --quiet --universal --no-emit-index-url --python-version 3.11 --extra dev \
	  --no-emit-find-links --custom-compile-command "make lock" pyproject.toml -o requirements.txt

clean:
	rm -rf $(VENV) build dist output/demo

# `make demo` and `make test` set up what they need in .venv; everything else builds on these two.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SCHEMA := .cache/schema
export RG_NODE_MODULES := $(CURDIR)/$(SCHEMA)/node_modules

.DEFAULT_GOAL := help
.PHONY: help demo test lint types unit e2e-deps bolt-deps node-deps bench clean

help:  ## what there is to make
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.runtime  ## the whole job in half a minute: no network, no account
	@$(BIN)/rg-memory demo

test: lint  ## everything that must be green: lint, types, tests
	@$(MAKE) --no-print-directory unit BESIDE=types

lint: $(VENV)/.dev  ## ruff, zizmor on the workflows, who imports whom, and generated files are current
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m scripts.build_docs --check

types: $(VENV)/.dev  ## mypy --strict
	$(BIN)/mypy

unit: $(VENV)/.dev  ## pytest; real harness programs and a Bolt server are used where they are installed
	$(BIN)/coverage erase
	@$(MAKE) --no-print-directory --jobs=3 server others $(BESIDE)
	@$(BIN)/coverage combine --quiet
	@echo "coverage, over processes, without what drives a server, a program or a browser: $$($(BIN)/coverage report --format=total) %"

.PHONY: server others
server:  # in one process: a second would start and warm up servers of its own; what it says comes when it has ended
	@said=$$(mktemp) && { $(BIN)/pytest -m bolt >$$said 2>&1; ended=$$?; cat $$said; rm $$said; [ $$ended = 5 ] || exit $$ended; }  # 5: no server here, nothing to run

others:  # the real programs mostly wait: several at once, and first, so that what computes fills the end
	$(BIN)/pytest -n 3 -m 'e2e or browser' tests/e2e tests/core/dashboard
	$(BIN)/coverage run -m pytest -n 3 -m 'not e2e and not bolt and not browser and not live'

e2e-deps: $(VENV)/.dev  ## the real harness programs, from npm, into .cache (2 GB)
	$(BIN)/python -m tests.e2e.install

bolt-deps: $(VENV)/.dev  ## a Neo4j server, from Maven, into .cache
	$(BIN)/python -m tests.bolt_server fetch

node-deps: $(VENV)/.dev  ## the official MCP clients, the A2A SDK and GitHub's published schema, from npm, into .cache
	$(BIN)/python -m tests.core.mcp_server.node_clients
	$(BIN)/python -m tests.core.assets.a2a_node
	npm install --prefix $(SCHEMA) --no-audit --no-fund --no-package-lock --loglevel=error @octokit/graphql-schema@15.26.1

BY_HAND := code_graph corpora parts  # they take clones and archives; each says which
bench: $(VENV)/.dev  ## ratios against a baseline measured in the same run
	for name in $(filter-out __init__ archives $(BY_HAND),$(basename $(notdir $(wildcard benchmarks/*.py)))); do \
	    $(BIN)/python -m benchmarks.$$name || exit 1; done

clean:  ## remove what make installed and built
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* dist build

$(VENV)/.runtime: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "rg-memory needs Python 3.11 or newer, and $$($(PYTHON) --version) is $(PYTHON): make PYTHON=python3.13"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(BIN)/python -m compileall -q core harnesses installer  # pip compiles what it copies, not an editable checkout
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bolt]' --group dev
	@touch $@

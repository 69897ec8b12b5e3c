# `make demo` and `make test` set everything up by themselves; they need Python 3.11 or newer and make.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

OLD_ZEP := .zep/3.30.0 .zep/2.22.1

export MEM0_TELEMETRY := False
export LANGSMITH_TRACING := false

.PHONY: demo test test-letta test-server check lint types bench clean

demo: $(READY)  ## Recall a small customer story from real providers and print it
	@$(BIN)/python -m praxa_langgraph.demo $(ARGS)

test: $(READY) $(OLD_ZEP)  ## Run every test that needs no server of its own
	$(BIN)/python -m pytest --numprocesses=2 --dist=loadfile

test-letta: $(READY)  ## LettaSource against a real Letta server, installed below .letta (1 GB)
	PRAXA_REAL_LETTA=$(CURDIR)/.letta PYTHON=$(PYTHON) $(BIN)/python -m pytest tests/letta_real --timeout=900

test-server: .server/.ready  ## The examples on a real LangGraph Server, in an environment of its own
	PRAXA_LANGGRAPH_SERVER=1 .server/bin/python -m pytest tests/langgraph_server --timeout=180 -p no:cacheprovider

.server/.ready: pyproject.toml
	test -x .server/bin/python || $(PYTHON) -m venv .server
	.server/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	.server/bin/python -m pip install --quiet --disable-pip-version-check \
		'langgraph-cli[inmem]' langgraph-sdk pytest pytest-asyncio pytest-socket pytest-timeout \
		--editable '.[agents]'
	touch $@

check: lint types test  ## What must be clean before a change lands

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

bench: $(READY)  ## Measure, side by side with peers; prints ratios
	$(BIN)/python -m benchmarks

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) --editable '.[dev]'
	touch $@

# Older clients, each beside the others: all of them are called zep_cloud.
.zep/%: | $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--target $@ 'zep-cloud==$*'

clean:
	rm -rf $(VENV) .zep .letta .server build dist

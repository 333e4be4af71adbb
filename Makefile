# Everything works from a fresh clone with Python 3.11+, git and make: the environment is made from the lock files.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export UV_SYSTEM_CERTS = 1
# Use our own environment, even if another one is active in the caller's shell.
unexport VIRTUAL_ENV
# Bytecode is kept: without it, each test process compiles all modules again, which doubles the time to collect.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
QUICK := not process and not postgres and not campaign and not twin and not timing and not soak
# Where ARGS chooses tests, one of two runs may have none: pytest says so with 5.
some = $(1) || [ $$? = 5 ]
CORES := $(shell getconf _NPROCESSORS_ONLN)
# Two workers per processor: many tests wait for processes and servers that they start. The quick ones do not.
WORKERS ?= $(shell expr 2 \* $(CORES))

# The tests that keep the others waiting, in the log of each run of CI.
SLOWEST := --durations=100 --durations-min=1

.PHONY: help extras run test compiled quick lint bytecode format unit bench soak mutants site lock release clean

help: ## Show all targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

# uv is pinned and lives in the environment itself; hashes in the lock files pin the rest.
$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "ToldOnce needs Python 3.11 or newer; choose one with: make PYTHON=python3.12 run"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv==0.13.8'

$(VENV)/.run: requirements.lock pyproject.toml $(BIN)/uv
	@echo "Installing ToldOnce into $(VENV) …"
	@test -f $(VENV)/.dev || $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml $(BIN)/uv
	@echo "Installing ToldOnce and its development tools into $(VENV) …"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@ $(VENV)/.run

# A PostgreSQL database needs its driver.
$(VENV)/.postgres: deploy/requirements.lock $(VENV)/.run
	@test -f $(VENV)/.dev || $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r deploy/requirements.lock
	@touch $@

extras: $(VENV)/.run ## Install what is optional: PostgreSQL, encryption, logins, ONNX models … (make extras EXTRAS=static)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint requirements-dev.lock \
	  --editable '.[$(or $(EXTRAS),all)]'

run: $(VENV)/$(if $(filter postgres%,$(TOLDONCE_DATABASE_URL)),.postgres,.run) ## Start the server on a file in your data folder; no key needed
	@exec $(BIN)/toldonce serve

# Types are checked beside the tests: each takes minutes, and neither has all processors busy.
test: $(VENV)/.dev ## Everything CI runs
	@$(MAKE) --no-print-directory -j2 lint compiled

compiled: bytecode
	@$(MAKE) --no-print-directory unit

# Compiled once here: each worker would do it by itself. Files are imported, but no tests made of their functions.
bytecode: $(VENV)/.dev
	@$(BIN)/pytest --collect-only -qq -o python_functions=- -o python_classes=- >/dev/null || true

lint: $(VENV)/.dev ## Formatting, rules, types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: $(VENV)/.dev ## Fix formatting and what ruff can fix
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

quick: $(VENV)/.dev ## The quick tests: no PostgreSQL, processes or very large cases (make quick ARGS='--lf')
	@$(BIN)/pytest -q -n $(CORES) -m '$(QUICK)' $(ARGS)

unit: $(VENV)/.dev ## All tests, in parallel; those of time afterwards (make unit ARGS='-k recall')
	@$(call some,$(BIN)/pytest -q -ra $(SLOWEST) -n $(WORKERS) -m 'not timing' $(ARGS))
	@$(call some,$(BIN)/pytest -q -ra $(SLOWEST) -m timing $(ARGS))

bench: $(VENV)/.dev ## Benchmarks: a table, and JSON in bench-results/
	@$(BIN)/python -m benchmarks $(ARGS)

soak: $(VENV)/.dev ## Long campaigns: make soak COUNT=200
	@TOLDONCE_SOAK=$(or $(COUNT),200) $(BIN)/pytest -q -ra -m soak -s $(ARGS)

mutants: $(VENV)/.dev ## Plant defects one by one; each must fail a named test
	@$(BIN)/python -m tests.mutants $(ARGS)

# The site's generator has an environment of its own: it shares packages with the product, in other versions.
$(VENV)/site/.docs: requirements-docs.lock $(BIN)/uv
	@echo "Installing the site's generator into $(VENV)/site …"
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/site
	@$(BIN)/uv pip install --quiet --python $(VENV)/site/bin/python --require-hashes -r requirements-docs.lock
	@touch $@

site: $(VENV)/site/.docs ## The docs as a web site with search, in build/site
	@NO_MKDOCS_2_WARNING=1 $(VENV)/site/bin/mkdocs build
	@echo "To read it at http://127.0.0.1:8000: $(PYTHON) -m http.server --bind 127.0.0.1 --directory build/site"

# Where the first install must not compile anything: docs/deploy.md names the others.
SYSTEMS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-apple-darwin aarch64-apple-darwin x86_64-pc-windows-msvc

lock: $(BIN)/uv ## Resolve versions into the lock files, and check that each has wheels
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header --upgrade --extra mcp pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header --upgrade pyproject.toml --group dev -c requirements.lock \
	  -o requirements-dev.lock
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header --upgrade --group docs -o requirements-docs.lock
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header --extra jwt --extra mcp --extra oidc --extra postgres --extra encrypted pyproject.toml -c requirements-dev.lock \
	  -o deploy/requirements.lock
	$(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'], sep='\n')" \
	  | $(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header --upgrade - -o deploy/build-requirements.lock
	@for lock in requirements.lock deploy/requirements.lock; do for system in $(SYSTEMS); do for python in 3.11 3.14; do \
	  MACOSX_DEPLOYMENT_TARGET=11.0 $(BIN)/uv pip compile --quiet --no-deps --only-binary :all: --python-platform $$system \
	    --python-version $$python $$lock -o /dev/null || { echo "on $$system with Python $$python: see above"; exit 1; }; \
	done; done; done

release: $(VENV)/.dev ## Build and sign a release in dist/ (make release ARGS='--key FILE'); publishes nothing
	@$(BIN)/python -m tools.release $(ARGS)

clean: ## Remove the environment and caches (never your memories)
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis bench-results build/site

# Each target installs what it needs, once; an interrupted install is completed by the next call.
# You need Python 3.11 or later, make and git.

PYTHON ?= python3
TESTED := 3.11 3.12 3.13
# Without a compiler: a Python or system that is too new or too rare for the packages is named at once.
BINARY := --only-binary :all:
ENV := .venv
RUN := $(ENV)/bin/python

# What each target needs: dayline itself with the packages it runs on, or also the tools for development.
INSTALLED := $(ENV)/.dayline-installed
RUNTIME := $(ENV)/.runtime-installed
TOOLS := $(ENV)/.packages-installed
PYTHON_CLIENT := .venv-aw/.installed
NODE_FOLDERS := tests/client/released/javascript webui
NODE_PACKAGES := $(NODE_FOLDERS:%=%/node_modules/.package-lock.json)
# With exec a signal that ends make reaches the command itself.
CHROMIUM := chromium=$$($(RUN) -m scripts.chromium) && CHROMIUM="$$chromium" exec
PYTEST := $(RUN) -m pytest -n 5 --dist loadfile --no-loadscope-reorder $(PYTEST_FLAGS)
# Once: each worker would otherwise compile all of the tests for itself.
LOAD := $(RUN) -m pytest --collect-only --quiet >/dev/null
COMPILE := $(LOAD) tests/[a-l]*/ & $(LOAD) tests/[m-z]*/; wait
ON_POSTGRES := DAYLINE_TEST_ENGINE=postgres $(PYTEST)
# Those that tests/api/engines.py lists: the others start servers of their own.
API := $(addprefix tests/api/,admin data http insight v0)
E2E := $(CHROMIUM) $(RUN) -m scripts.web e2e

# The steps are quicker one by one than interleaved; the tests have five workers on two cores, since they often wait.
.NOTPARALLEL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help setup clients run test test-long test-web test-root test-pythons soak check fix bench bench-postgres bench-ui screenshots docs lock \
	dist release sbom clean

help:  ## list these verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(INSTALLED)  ## start the server; installs only what it needs
	@$(RUN) -m scripts.build_web
	$(ENV)/bin/dayline serve

setup: $(TOOLS) $(INSTALLED) webui/node_modules/.package-lock.json  ## install everything for development in .venv
	@$(RUN) -m scripts.build_web

test: clients  ## every test but the long ones
	$(COMPILE)
	$(PYTEST)
	$(ON_POSTGRES) $(API) -m "engine and not long"
	$(E2E)

test-long: clients  ## the same with the long tests, and with new random examples each time
	$(COMPILE)
	$(PYTEST) -m "long or not long" --hypothesis-profile=long
	$(ON_POSTGRES) $(API) tests/maintenance/space/test_retention_api.py tests/maintenance/findings/test_findings_api.py -m "long or not long"
	$(E2E)

test-web: setup  ## the tests of the web UI alone
	$(RUN) -m scripts.web check
	$(E2E)

test-root: clients  ## the tests that need root, which are skipped for other users
	$(PYTEST) -m "root and not long"

test-pythons: setup  ## a short set of tests on every other Python that is installed
	$(RUN) -m scripts.pythons --test

soak: setup  ## everything together for 10 minutes, with faults (MINUTES=30 for longer)
	$(RUN) -m tests.storage.soak --minutes $(or $(MINUTES),10)

check: setup  ## format, lint, types and layers, changing nothing
	$(RUN) -m scripts.check

fix: setup  ## format, and apply automatic lint fixes
	$(RUN) -m ruff format
	$(RUN) -m ruff check --fix
	$(RUN) -m scripts.web fix

bench: setup  ## measure, and print the figures beside their goals
	$(RUN) -m benchmarks

bench-postgres: setup  ## the same for PostgreSQL, beside SQLite
	$(RUN) -m benchmarks.postgres

bench-ui: setup  ## the same for the web UI, in a browser, on a million events
	$(CHROMIUM) $(RUN) -m scripts.web bench

screenshots: setup  ## every page in both themes, three widths and every state, into build/screenshots
	$(CHROMIUM) $(RUN) -m scripts.web screenshots

docs: setup  ## write the generated pages of docs/, and the web UI's types of the API
	$(RUN) -m scripts.write_docs
	$(RUN) -m scripts.web types

lock: setup  ## update the lock files (UPGRADE=--upgrade for newer versions)
	$(RUN) -m scripts.lock $(UPGRADE)

dist: setup  ## build the wheel, the source archive and the SBOM in dist; the same sources give the same bytes
	rm -rf dist
	$(RUN) -m hatchling build --target sdist --target wheel
	$(RUN) -m scripts.sbom --output dist/sbom.cdx.json

release: setup  ## the same for a release: stops if an address is still a placeholder
	$(RUN) -m scripts.release
	$(MAKE) dist

sbom: setup  ## write build/sbom.cdx.json, a CycloneDX list of every locked package
	$(RUN) -m scripts.sbom

clean:  ## remove environments, caches and built files
	rm -rf .venv .venv-aw $(NODE_FOLDERS:%=%/node_modules) build dist
	rm -rf tests/support/chromium/node_modules tests/support/chromium/unpacked*
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache .schemathesis
	rm -rf src/dayline/api/built src/dayline/api/static/rapidoc-*
	find src tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# The released clients that the tests run against the server, a browser, and what drives it.
clients: setup $(PYTHON_CLIENT) $(NODE_PACKAGES)
	@$(RUN) -m scripts.chromium >/dev/null

# Without build isolation: hatchling is among the locked packages, and nothing unlocked is fetched.
$(INSTALLED): pyproject.toml hatch_build.py src/dayline/__init__.py | $(RUNTIME)
	$(call install,$(ENV),--no-deps --no-build-isolation --editable .)
	@touch $@

$(RUNTIME): requirements/runtime.txt requirements/build.txt | $(ENV)/.created
	$(call install,$(ENV),$(BINARY) --require-hashes $(addprefix --requirement ,$^))
	@touch $@

# These contain the packages of the runtime, in the same versions.
$(TOOLS): requirements/dev.txt | $(ENV)/.created
	$(call install,$(ENV),$(BINARY) --require-hashes --requirement $<)
	@touch $@ $(RUNTIME)

$(PYTHON_CLIENT): requirements/aw-client.txt | .venv-aw/.created
	$(call install,.venv-aw,--require-hashes --requirement $<)
	@touch $@

# pip writes RECORD last, but counts a package without it as installed; names with ~ are left by an interrupted upgrade.
define install
@for package in $(1)/lib/python*/site-packages/*.dist-info; do [ -e "$$package/RECORD" ] || rm -rf "$$package"; done
@rm -rf $(1)/lib/python*/site-packages/~*
$(1)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check $(2)
endef

# An environment in which pip is not installed was interrupted; it is created again.
%/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Dayline needs Python 3.11 or later; to name another one: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo 'This Python cannot make environments; on Debian and Ubuntu: sudo apt-get install python3-venv' >&2; exit 1; }
	@version=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'); case ' $(TESTED) ' in *" $$version "*) ;; *) \
		echo "Dayline is not tested with Python $$version; if packages are missing for it: make PYTHON=python$(lastword $(TESTED)) ..." >&2;; \
	esac
	@$*/bin/python -m pip show --quiet pip 2>/dev/null || { echo "$(PYTHON) -m venv $*" && $(PYTHON) -m venv --clear $*; }
	@touch $@

%/node_modules/.package-lock.json: %/package-lock.json | $(TOOLS)
	$(RUN) -m scripts.node_packages $*

# Two commands on a fresh machine: `make demo` and `make test`. Everything else is for people who change the code.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test check fmt bench lint-fuzz lint-index lint-report lint-transcript review-attacks review-transcript published-figures croissant docs-shots sandbox-image sandbox-base canary agent-images agent-tests-all agent-table soak e2e clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "m4review needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing Debian's python3-venv, which $(PYTHON) needs to make an environment"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >/dev/null && \
	    $(PYTHON) -m venv --clear $(VENV); \
	  else \
	    echo "$(PYTHON) cannot make a virtual environment. On Debian or Ubuntu: sudo apt-get install python3-venv"; exit 2; \
	  fi; }
	@echo "installing m4review and what it needs into $(VENV) (two to five minutes, most of it downloads)"
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(STAMP) ## set everything up and open the workbench on a throw-away workspace with synthetic data
	@$(BIN)/m4review demo

test: $(STAMP) ## set up and run all tests
	@$(BIN)/python -m pytest -n auto --dist loadfile

check: $(STAMP) ## format, lint, types and the layering contract
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports
	@$(BIN)/m4review lint --all

fmt: $(STAMP) ## format and fix what can be fixed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(STAMP) ## speed, against baselines measured in the same run
	@for file in $(filter-out benchmarks/soak.py,$(wildcard benchmarks/*.py)); do echo "== $$file"; $(BIN)/python $$file; done

FUZZ_SECONDS ?= 60
FUZZ_SEED    ?= 1
lint-fuzz: $(STAMP) ## hunt for texts that the lint reads wrongly or slowly (FUZZ_SECONDS=, FUZZ_SEED=)
	@$(BIN)/python benchmarks/fuzz/lint.py --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

lint-index: $(STAMP) ## analyse the reference queries anew for the lint, after one was edited
	@$(BIN)/python -m m4review.lint.referenceruns

lint-report: $(STAMP) ## precision and recall of the lint on its corpus, each miss listed
	@$(BIN)/python tests/lint_corpus/report.py

lint-transcript: $(STAMP) ## plain git against the hooks: ten contaminations refused, five edits accepted
	@$(BIN)/python tests/lint_corpus/transcript.py

review-transcript: $(STAMP) ## a whole review in a throw-away workspace: sealed, disputed, settled, released, edited, judged again
	@$(BIN)/python tests/unit/reviews/review_transcript.py

review-attacks: $(STAMP) ## every attack on a ledger of its own, and what verify answers
	@$(BIN)/python tests/unit/reviews/attack_table.py

published-figures: $(STAMP) ## the published figures beside those that the published run files give here (they lie beside the checkout)
	@$(BIN)/python tests/oracle/published_table.py

croissant: ## the metadata of a bundle, validated and read by mlcroissant in an environment of its own
	@$(PYTHON) -m venv $(VENV)-croissant
	@$(VENV)-croissant/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,croissant]'
	@$(VENV)-croissant/bin/python -m pytest tests/unit/campaigns/test_campaign_bundle.py -k mlcroissant

docs-shots: $(STAMP) ## pictures of every screen for the documentation, from the running program (needs Chromium)
	@$(BIN)/python docs/shots.py $(SCENE)

sandbox-base: $(STAMP) ## the sandbox's base image (pulled, or made from Debian's mirror)
	@$(BIN)/python -m m4review.trials.sandbox.images base

sandbox-image: $(STAMP) ## the images in which trials run: the reader's, and the sidecars of a network
	@$(BIN)/python -m m4review.trials.sandbox.images reader
	@$(BIN)/python -m m4review.trials.sandbox.images sidecars

canary: $(STAMP) ## prove the sandbox: an adversarial program tries to break out of it
	@$(BIN)/m4review canary

AGENT ?= codex claude-code mini-swe-agent gemini-cli opencode
agent-images: $(STAMP) ## the images of the agent programs (AGENT=codex for one)
	@for agent in $(AGENT); do $(BIN)/python -m m4review.trials.sandbox.images $$agent || exit $$?; done

agent-tests-all: $(STAMP) ## every agent program in every scenario, against the scripted model (about half an hour)
	@M4REVIEW_ALL_AGENTS=1 $(BIN)/python -m pytest -n 1 tests/docker/test_docker_agents.py

agent-table: $(STAMP) ## the same as a table: outcome, times and leftovers (AGENT=codex for one)
	@$(BIN)/python tests/docker/agent_scenarios.py $(AGENT)

SECONDS ?= 600
SEED    ?= 1
soak: $(STAMP) ## drive the workbench with random keys: memory, threads, files and temporary files stay flat (SECONDS=, SEED=)
	@$(BIN)/python benchmarks/soak.py --seconds $(SECONDS) --seed $(SEED)

e2e: $(STAMP) ## the installed program in a terminal of its own (tmux): edit, save, record, verdict
	@$(BIN)/python -m pytest tests/e2e

clean: ## remove the environment and caches (datasets and runs under .m4review stay)
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist *.egg-info

# Everything happens in .venv; a fresh machine needs Python >= 3.11, a C++20
# compiler and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
BUILD_FLAGS ?= -C cmake.define.TREEPROOF_DEV=ON
LINTED := src tests $(wildcard benchmarks examples tools docs/*.py)

.DEFAULT_GOAL := help
.PHONY: help demo build tools test lint docs bench bench-noisy bench-stops bench-numeric bench-bounds \
	bench-big bench-growth bench-scale-out bench-threads bench-memory bench-proofs bench-streams \
	bench-oblique bench-path bench-leaves bench-regression bench-tasks fuzz fuzz-bytes fuzz-constraints fuzz-costs fuzz-near fuzz-leaves fuzz-numeric fuzz-prices fuzz-proper fuzz-shapes fuzz-tables check-exports peers sanitize \
	sanitize-threads clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

# What treeproof needs to build and run, and what its development needs on top.
$(VENV)/base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install "scikit-build-core>=0.11" "nanobind>=2.4" ninja cmake
	$(PIP) install --no-build-isolation $(BUILD_FLAGS) -e . pandas
	touch $@

$(VENV)/ready: $(VENV)/base
	$(PIP) install --no-build-isolation $(BUILD_FLAGS) -e ".[dev]"
	touch $@

build: $(VENV)/base  ## compile what changed and install it into .venv
	$(PIP) install --no-build-isolation --no-deps $(BUILD_FLAGS) -e .

demo: build  ## an optimal tree on a bundled data set, with its certificate
	@$(BIN)/python examples/demo.py

# The checker in C++ stands alone: one file and the headers beside it.
tools: build/check_proof  ## the stand-alone checker of proofs, build/check_proof

CHECKER_ARCH ?= -march=native
build/check_proof: tools/check_proof.cpp $(wildcard tools/checker/*.hpp)
	mkdir -p build
	$(CXX) -std=c++20 -O3 $(CHECKER_ARCH) -Wall -Wextra -Wshadow -Wconversion -Werror $< -o $@

test: $(VENV)/ready build lint  ## all tests
	$(BIN)/python -m pytest -n $(JOBS)
	$(BIN)/python -m pytest --doctest-modules src/treeproof

.PHONY: test-tools
test-tools: $(VENV)/ready build  ## tests with SHAP, dtreeviz, MLflow and skops, which it installs
	$(PIP) install --no-build-isolation $(BUILD_FLAGS) -e ".[dev,explain,cards]"
	$(BIN)/python -m pytest -n $(JOBS) tests/test_scikit_learn_tools.py tests/test_model_card.py tests/test_docs.py

lint: $(VENV)/ready  ## ruff, mypy, clang-format, and clang-tidy (if installed) on changed files
	find cpp tools tests examples -name '*.?pp' | xargs $(BIN)/clang-format --dry-run -Werror
	$(BIN)/ruff check $(LINTED)
	$(BIN)/ruff format --check $(LINTED)
	$(BIN)/mypy
	PYTHON=$(abspath $(BIN)/python) tools/tidy.sh

.PHONY: tidy
tidy: $(VENV)/ready  ## clang-tidy over all of the C++ code, some minutes (pip install clang-tidy)
	PYTHON=$(abspath $(BIN)/python) tools/tidy.sh all

.PHONY: stubs
stubs: build  ## src/treeproof/_core.pyi, the types of the native module, from the module itself
	$(BIN)/python tools/make_stub.py

# The pages, the API reference and the gallery; nothing is fetched, a warning is an error.
docs: $(VENV)/docs build  ## the documentation site, build/docs/index.html
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs

$(VENV)/docs: $(VENV)/ready
	$(PIP) install --no-build-isolation $(BUILD_FLAGS) -e ".[docs]"
	touch $@

# DL8.5 needs the distutils that old setuptools bring along.
peers: .peers/ready  ## other solvers for the benchmarks, in an environment of their own

.peers/ready:
	$(PYTHON) -m venv .peers
	.peers/bin/python -m pip install --quiet pystreed pycontree gosdt pydl8.5 treefarms pandas "setuptools<80"
	touch $@

bench: build  ## ours against the installed peers (BENCH="--limit 10 --resume" for options)
	$(BIN)/python -m benchmarks $(BENCH)

.PHONY: reproduce
reproduce: $(VENV)/ready build  ## pages of docs/reproduced from their rows (REPRODUCE=--fresh: measure anew)
	$(BIN)/python tools/reproduced_pages.py $(REPRODUCE)

# Everything small: no peers and no files of data are needed.
.PHONY: bench-smoke
bench-smoke: build  ## every suite of the benchmarks and one table of a paper, in a minute
	$(BIN)/python -m benchmarks.smoke

bench-noisy: build  ## trees found in 5 and 20 seconds on noisy data
	$(BIN)/python -m benchmarks.noisy $(BENCH)

bench-stops: build  ## time limit, Ctrl-C and memory limit on a hard problem
	$(BIN)/python -m benchmarks.stops $(BENCH)

.PHONY: bench-limits
bench-limits: build  ## time, Ctrl-C, stops from threads and memory, for every engine
	$(BIN)/python -m benchmarks.limits $(BENCH)

bench-numeric: build  ## numeric tables against ConTree, growth with rows and features
	$(BIN)/python -m benchmarks.numeric $(BENCH)

bench-bounds: build  ## speed of the generalization bounds and of pruning by them
	$(BIN)/python -m benchmarks.generalization $(BENCH)

bench-path: build  ## the path of penalties beside 50 separate fits
	$(BIN)/python -m benchmarks.paths $(BENCH)

.PHONY: bench-real
bench-real: $(VENV)/ready build  ## 32 ordinary tables with the defaults, beside CART, TAO and STreeD
	$(BIN)/python -m benchmarks.real $(BENCH)

.PHONY: bench-prices
bench-prices: build  ## what prices of rows cost on clean tables and bring on noisy ones
	$(BIN)/python -m benchmarks.prices $(BENCH)

.PHONY: bench-portfolio
bench-portfolio: build  ## solver="auto" beside each engine alone, CPU time
	$(BIN)/python -m benchmarks.portfolio $(BENCH)

.PHONY: bench-near
bench-near: build  ## all near-optimal trees beside TreeFARMS, on binarised sets
	$(BIN)/python -m benchmarks.near $(BENCH)

bench-regression: build  ## regression trees: our engine beside our Quant-BnB
	$(BIN)/python -m benchmarks.regression $(BENCH)

bench-streams: $(VENV)/ready build  ## the online learners on the streams of the thesis, beside River's
	$(BIN)/python -m benchmarks.streams $(BENCH)

fuzz-tables: $(VENV)/ready  ## tables with missing values, orders and subsets against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest tests/test_missing_optimum.py

check-exports: $(VENV)/ready  ## all exports of 200 random trees against predict on 10,000 rows each
	TREEPROOF_EXPORT_TREES=200 TREEPROOF_EXPORT_ROWS=10000 \
		$(BIN)/python -m pytest tests/test_exports.py -k "random_trees or leaves_that_choose"

bench-big: $(VENV)/ready build  ## a hundred million rows from Parquet, by DuckDB and by Dask
	$(BIN)/python -m benchmarks.big $(BENCH)

bench-tasks: build  ## F1, costs and policies beside STreeD; policy trees on numbers
	$(BIN)/python -m benchmarks.tasks $(BENCH)

bench-leaves: $(VENV)/ready build  ## counts, probabilities, lines and lifetimes, beside squared error and STreeD
	$(BIN)/python -m benchmarks.leaves $(BENCH)

bench-growth: $(VENV)/ready build  ## time and memory as rows, features, classes, depth, 1/penalty double
	$(BIN)/python -m benchmarks.growth $(BENCH)

bench-threads: build  ## one thread against two: sets of Table 4.2 and numeric sets
	$(BIN)/python -m benchmarks.threads $(BENCH)

bench-memory: build  ## sets of Table 4.2 with a quarter of the memory
	$(BIN)/python -m benchmarks.memory $(BENCH)

bench-scale-out: build  ## a search on up to 1,000 workers, simulated with measured times
	$(BIN)/python -m benchmarks.scale_out $(BENCH)

bench-proofs: build tools  ## size of proofs, time to write and to check them
	$(BIN)/python -m benchmarks.proofs $(BENCH)

bench-oblique: build  ## trees with hyperplane splits: time to proof, and when stopped
	$(BIN)/python -m benchmarks.oblique $(BENCH)

FUZZ_SECONDS ?= 600
fuzz: $(VENV)/ready build  ## random problems through all solvers and checkers, and attacks (FUZZ_SECONDS)
	$(BIN)/python tests/fuzz.py --seconds $(FUZZ_SECONDS) --processes $(JOBS)

.PHONY: load
load: $(VENV)/ready build  ## 1,000 fits from 8 threads with random limits and interruptions
	$(BIN)/python tests/load.py

fuzz-bytes: $(VENV)/ready build  ## changed proofs, models and CSV files (by atheris where installed)
	for entry in proof model csv; do \
		$(BIN)/python tests/fuzz_bytes.py $$entry --seconds $$(( $(FUZZ_SECONDS) / 3 )) || exit 1; \
	done

fuzz-choosing: build  ## paths and near-optimal sets against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -q tests/test_penalty_path.py tests/test_near_engine.py

fuzz-constraints: build  ## trees that keep constraints against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -q -n $(JOBS) tests/test_constraints.py

fuzz-shapes: build  ## monotone trees, lists, paths and lines against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -q -n $(JOBS) tests/test_shapes_exact.py tests/test_lines.py

fuzz-costs: build  ## costs, rewards and F-measures against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -q -n $(JOBS) tests/test_costs.py tests/test_policy.py \
		tests/test_proof_costs.py

fuzz-leaves: build  ## counts, probabilities, lifetimes, lines and their proofs against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -q -n $(JOBS) tests/test_other_leaves_exact.py \
		tests/test_proof_leaves.py tests/test_proof_lines.py tests/test_binary_pairs.py

fuzz-near: build  ## trees within a margin, and questions about them, against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -q -n $(JOBS) $(wildcard tests/test_near_*.py) tests/test_all_trees_proof.py

fuzz-proper: $(VENV)/ready build  ## proper and oblique trees against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -n $(JOBS) --durations=10 \
		$(wildcard tests/test_proper*.py) tests/test_oblique_exact.py tests/test_oblique_engine.py

fuzz-prices: $(VENV)/ready build  ## prices against every box and every tree, and in changed proofs, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -n $(JOBS) --durations=5 \
		tests/test_prices.py tests/test_prices_edges.py tests/test_level_prices.py \
		tests/test_proof_prices.py tests/test_proof_level_prices.py

fuzz-numeric: $(VENV)/ready build  ## numeric trees with a penalty against brute force, at length
	TREEPROOF_FUZZ=1 $(BIN)/python -m pytest -n $(JOBS) --durations=5 tests/test_threshold_common_rows.py

# The interpreter itself is not built with the sanitizers, so their library has to be
# loaded first; Python's own start-up leaks are not ours to report.
# The short run of the fuzzer drives every engine under all its switches; tests of proofs drive
# every rule of the stand-alone checker and of the module that is made from it.
SANITIZED ?= tests/test_fuzz.py::test_a_short_run_finds_nothing $(addprefix tests/test_, \
	native_contract.py fuzz_bytes.py sparse_limits.py sparse_invariance.py stopping.py \
	oblique_engine.py binary_pairs.py stream_learners.py stream_nothing.py stream_checks.py tree.py \
	cpp_checker.py verdict.py mutants.py time_limits.py untrusted_files.py ladder.py restricted_levels.py \
	proof_numbers.py proof_numeric.py proof_prices.py proof_level_prices.py proof_leaves.py \
	proof_limits.py proof_lines.py proof_paths.py proof_costs.py proof_missing.py \
	proof_odd_headers.py prices.py prices_edges.py level_prices.py)
# These need a search to get far within a second, or a proof within a minute.
TOO_SLOW_SANITIZED := test_a_noisy_level_is_proved_by_its_prices test_a_stopped_fit_says \
	test_the_proof_of_a_stopped_fit_is_about test_levels_of_a_fit_use_their_prices \
	test_a_fit_with_a_proof_believes_no_checkpoint
# The stand-alone checker is compiled with the same checks.
SANITIZED_CHECKER := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
sanitize: $(VENV)/ready  ## tests on an engine with address and undefined-behaviour checks
	$(PIP) install --no-build-isolation --no-deps --upgrade --target build/sanitized \
		-C build-dir=build/sanitize -C cmake.define.TREEPROOF_DEV=ON \
		-C cmake.define.TREEPROOF_SANITIZE=address .
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so):$$($(CXX) -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		CHECKER_FLAGS="$(SANITIZED_CHECKER)" \
		$(BIN)/python tools/run_sanitized.py build/sanitized --capture=no $(SANITIZED) \
		-k "not ($(subst $() $(), or ,$(strip $(TOO_SLOW_SANITIZED))))"

# The same engine with the assertions of cpp/core/check.hpp compiled in.
CHECKED ?= tests/test_fuzz.py::test_a_short_run_finds_nothing $(addprefix tests/test_, \
	threshold_exact.py threshold_common_rows.py threshold_threads.py sparse_optimum.py \
	shapes_exact.py regression_exact.py sparse_limits.py quant_bnb.py ladder.py penalty_path.py branches.py dt_miner.py \
	near_engine.py oblique_engine.py binary_pairs.py)
.PHONY: test-checked
test-checked: $(VENV)/ready  ## tests of the engines, with assertions at the joints
	$(PIP) install --no-build-isolation --no-deps --upgrade --target build/checked \
		-C build-dir=build/check -C cmake.define.TREEPROOF_DEV=ON \
		-C cmake.define.TREEPROOF_CHECKED=ON .
	$(BIN)/python tools/run_sanitized.py build/checked $(CHECKED)

# Races are looked for in programs that drive the engines, since an interpreter without
# the sanitizer hides them; tests/test_*_threads.py cover threads of Python.
sanitize-threads: $(VENV)/base  ## engines in threads, under the thread sanitizer
	$(BIN)/cmake -S . -B build/threads -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
		-DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
		-DTREEPROOF_DEV=ON -DTREEPROOF_SANITIZE=thread -DTREEPROOF_DRIVERS=ON
	$(BIN)/cmake --build build/threads -j $(JOBS)
	for driver in sparse_threads threshold_threads engine_threads; do \
		TSAN_OPTIONS=halt_on_error=1 build/threads/$$driver || exit 1; done

clean:  ## remove the environment and all build products
	rm -rf $(VENV) build

// The options of a search: which trees are allowed, its limits, its observer, and
// the options of the sparse engine, which two functions share.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bindings/observer.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "search/sparse/solve.hpp"

namespace treeproof::bindings {

struct SearchOptions {
  TreeLimits trees;
  double time_limit = 0.0;  // seconds; 0: none
  std::uint64_t memory_limit = 0;
  std::optional<nanobind::callable> observer;
  int n_jobs = 1;

  // Limits that a Python function which listens can end too, by setting `interrupted`.
  Limits limits(const bool& interrupted) const {
    return Limits(time_limit, memory_limit, interrupted_or(interrupted));
  }
};

struct SparseOptions {
  sparse::Options engine;
  std::string proof_log, checkpoint;  // files; empty: none
  std::uint64_t key_seed = 0;
};

}  // namespace treeproof::bindings

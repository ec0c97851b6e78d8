// The options of a search: which trees are allowed, its limits and its observer; and the options of
// the sparse engine, which two functions use.
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
  double time_limit = 0.0;  // in seconds; 0: no limit
  std::uint64_t memory_limit = 0;
  std::optional<nanobind::callable> observer;
  int n_jobs = 1;

  // The limits of a search. It also stops when an observer sets `interrupted`.
  Limits limits(const bool& interrupted) const {
    return Limits(time_limit, memory_limit, interrupted_or(interrupted));
  }
};

struct SparseOptions {
  sparse::Options engine;
  std::string proof_log, checkpoint;  // paths of files; empty: none
  std::uint64_t key_seed = 0;
};

}  // namespace treeproof::bindings

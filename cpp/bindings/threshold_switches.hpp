// Reads the switches of the threshold search from a dictionary, and the number of its threads.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "search/threshold/solve.hpp"

namespace treeproof::bindings {

inline threshold::Switches read_switches(const nanobind::dict& given, int n_jobs) {
  if (n_jobs < 1) throw std::invalid_argument("n_jobs must be at least 1");
  threshold::Switches switches;
  switches.n_threads = n_jobs;
  for (const auto& [key, value] : given) {
    const auto name = nanobind::cast<std::string>(key);
    if (name == "unit_step") switches.unit_step = nanobind::cast<bool>(value);
    else if (name == "inheritance") switches.inheritance = nanobind::cast<bool>(value);
    else if (name == "partitions") switches.partitions = nanobind::cast<bool>(value);
    else if (name == "common_rows_search")
      switches.common_rows_search = nanobind::cast<bool>(value);
    else if (name == "costly_sets") switches.costly_sets = nanobind::cast<bool>(value);
    else if (name == "common_rows") switches.common_rows = nanobind::cast<bool>(value);
    else if (name == "two_splits") switches.two_splits = nanobind::cast<bool>(value);
    else if (name == "leaf_gain") switches.leaf_gain = nanobind::cast<bool>(value);
    else if (name == "boxes") switches.boxes = nanobind::cast<bool>(value);
    else if (name == "sets") switches.sets = nanobind::cast<bool>(value);
    else if (name == "leave_out") switches.leave_out = nanobind::cast<bool>(value);
    else if (name == "chains") switches.chains = nanobind::cast<bool>(value);
    else if (name == "pairs") switches.pairs = nanobind::cast<bool>(value);
    else if (name == "counts") switches.counts = nanobind::cast<bool>(value);
    else if (name == "helpers_first") switches.helpers_first = nanobind::cast<bool>(value);
    else if (name == "portable_kernels") switches.portable_kernels = nanobind::cast<bool>(value);
    else if (name == "coarse_cuts") switches.coarse_cuts = nanobind::cast<int>(value);
    else if (name == "fine_bins_from") switches.fine_bins_from = nanobind::cast<int>(value);
    else if (name == "most_bins") switches.most_bins = nanobind::cast<int>(value);
    else throw std::invalid_argument("unknown switch '" + name + "'");
  }
  return switches;
}

}  // namespace treeproof::bindings

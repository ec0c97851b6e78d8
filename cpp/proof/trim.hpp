// Makes a proof from the log of a search: it contains only the steps on which the bound of the
// whole table depends, numbered in order, and each citation is replaced by a number.
//
// The log is read backwards: the step with the best bound of the whole table is needed, then the
// steps that it cites, then those that they cite. A citation consists of a key and a bound; it
// refers to the latest earlier step with this key and at least this bound. (Proofs of SAT solvers
// are trimmed in the same way.)
#pragma once

#include <cstdint>
#include <string>

#include "proof/log.hpp"

namespace treeproof::proof {

struct Trimmed {
  std::int64_t n_steps = 0;
  std::int64_t root = -1;  // number of the step about the whole table
  bool complete = true;    // false if the file could not hold everything
};

// Writes the steps as JSON lines.
Trimmed trim(const std::string& log, const Section& section, const std::string& steps);

}  // namespace treeproof::proof

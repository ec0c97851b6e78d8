// Makes a proof from the log of a search: only the steps on which the bound of the whole table
// depends, numbered in order, with each citation resolved to a number.
//
// The log is read backwards: the best step about all rows is needed, then what it cites, then what
// that cites. A citation asks for a key and a bound; it refers to the latest earlier step with that
// key and at least that bound. (Proofs of SAT solvers are trimmed in the same way.)
#pragma once

#include <cstdint>
#include <string>

#include "proof/log.hpp"

namespace treeproof::proof {

struct Trimmed {
  std::int64_t n_steps = 0;
  std::int64_t root = -1;  // number of the step about all rows
  bool complete = true;    // false if the file could not hold everything
};

// Writes the steps as JSON lines.
Trimmed trim(const std::string& log, const Section& section, const std::string& steps);

}  // namespace treeproof::proof

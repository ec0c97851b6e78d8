// From the log of a search to a proof: only the steps that the bound on the whole table needs,
// numbered in order, each citation resolved to a number.
//
// Read backwards, a log tells what is needed: the best step about all rows, then what it cites,
// then what that cites. A citation asks for a key and a bound; the latest earlier step of that
// key with at least that bound answers it. (SAT solvers' proofs are trimmed alike.)
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

// Two kinds of failure: the input cannot be read, or a proof does not hold.

#pragma once

#include <stdexcept>
#include <string>

namespace checker {

struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Rejected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& otherwise) {
  if (!holds) throw Rejected(otherwise);
}

}  // namespace checker

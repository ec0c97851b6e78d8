// Assertions at the joints between parts: a bound that falls, bounds that cross, children that
// do not partition their parent.
//
// They are compiled in where TREEPROOF_CHECKED is defined (`make test-checked` and the sanitized
// builds) and cost nothing elsewhere. They guard against mistakes of this library only, never
// against bad input, which the Python side rejects with a message of its own.
#pragma once

#include <stdexcept>
#include <string>

namespace treeproof {

#ifdef TREEPROOF_CHECKED
inline constexpr bool kChecked = true;
#else
inline constexpr bool kChecked = false;
#endif

// `condition` is evaluated in checked builds only.
template <class Condition>
void check(Condition condition, const char* law) {
  if constexpr (kChecked) {
    if (!condition()) throw std::logic_error(std::string("internal check failed: ") + law);
  }
}

}  // namespace treeproof

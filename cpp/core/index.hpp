// Converts signed numbers to indices of containers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treeproof {

// `i` must not be negative.
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace treeproof

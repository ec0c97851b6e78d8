// Signed numbers as places in containers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treeproof {

// `i` is not negative.
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace treeproof

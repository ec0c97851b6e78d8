// The compiled variants of the kernels; `dispatch.cpp` picks one.
#pragma once

#include "data/kernels/kernels.hpp"

namespace treeproof::kernels {

struct Variant {
  Kernels<std::uint16_t> narrow;
  Kernels<std::uint32_t> wide;
  bool compiled;
};

Variant portable_variant();
Variant avx2_variant();
Variant avx512_variant();

}  // namespace treeproof::kernels

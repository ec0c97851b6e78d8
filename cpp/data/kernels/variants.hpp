// The compiled variants of the kernels; `dispatch.cpp` picks one. They are constants and
// not functions: code in those files may hold instructions this machine does not know.
#pragma once

#include "data/kernels/kernels.hpp"

namespace treeproof::kernels {

struct Variant {
  Kernels<std::uint16_t> narrow;
  Kernels<std::uint32_t> wide;
  bool compiled;
};

extern const Variant kPortable;
extern const Variant kAvx2;
extern const Variant kAvx512;

}  // namespace treeproof::kernels

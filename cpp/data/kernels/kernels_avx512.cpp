#include "data/kernels/kernels.inl"
#include "data/kernels/variants.hpp"

namespace treeproof::kernels {

Variant avx512_variant() {
#if defined(__AVX512BITALG__)
  return {make_kernels<std::uint16_t>(), make_kernels<std::uint32_t>(), true};
#else
  return {{}, {}, false};  // another architecture
#endif
}

}  // namespace treeproof::kernels

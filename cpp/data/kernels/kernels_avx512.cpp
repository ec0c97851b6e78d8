#include "data/kernels/kernels.inl"
#include "data/kernels/variants.hpp"

namespace treeproof::kernels {

#if defined(__AVX512BITALG__)
constinit const Variant kAvx512{make_kernels<std::uint16_t>(), make_kernels<std::uint32_t>(), true};
#else
constinit const Variant kAvx512{{}, {}, false};  // another architecture
#endif

}  // namespace treeproof::kernels

#include "data/kernels/kernels.inl"
#include "data/kernels/variants.hpp"

namespace treeproof::kernels {

#if defined(__AVX2__)
constinit const Variant kAvx2{make_kernels<std::uint16_t>(), make_kernels<std::uint32_t>(), true};
#else
constinit const Variant kAvx2{{}, {}, false};  // another architecture
#endif

}  // namespace treeproof::kernels

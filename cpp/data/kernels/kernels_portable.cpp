#include "data/kernels/kernels.inl"
#include "data/kernels/variants.hpp"

namespace treeproof::kernels {

constinit const Variant kPortable{make_kernels<std::uint16_t>(), make_kernels<std::uint32_t>(),
                                  true};

}  // namespace treeproof::kernels

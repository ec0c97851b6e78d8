#include "search/threshold/depth_two/kernels.hpp"

namespace treeproof::threshold {
namespace avx512 {
namespace {

#include "search/threshold/depth_two/kernels_body.inc"

}  // namespace
}  // namespace avx512

KernelSet avx512_kernels() { return avx512::kernels(); }

}  // namespace treeproof::threshold

#include "search/threshold/depth_two/kernels.hpp"

namespace treeproof::threshold {
namespace avx2 {
namespace {

#include "search/threshold/depth_two/kernels_body.inc"

}  // namespace
}  // namespace avx2

KernelSet avx2_kernels() { return avx2::kernels(); }

}  // namespace treeproof::threshold

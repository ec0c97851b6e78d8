#include "search/threshold/depth_two/kernels.hpp"

namespace treeproof::threshold {
namespace portable {
namespace {

#include "search/threshold/depth_two/kernels_body.inc"

}  // namespace
}  // namespace portable

KernelSet portable_kernels() { return portable::kernels(); }

KernelSet choose_kernels(bool portable) {
#if defined(__x86_64__)
  if (!portable && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0)
    return avx2_kernels();
#endif
  static_cast<void>(portable);
  return portable_kernels();
}

}  // namespace treeproof::threshold

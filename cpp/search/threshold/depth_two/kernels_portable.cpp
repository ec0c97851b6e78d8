#include "search/threshold/depth_two/kernels.hpp"

namespace treeproof::threshold {
namespace portable {
namespace {

#include "search/threshold/depth_two/kernels_body.inc"

}  // namespace
}  // namespace portable

KernelSet portable_kernels() { return portable::kernels(); }

std::vector<KernelSet> supported_kernels() {
  std::vector<KernelSet> sets;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512bitalg") != 0 &&
      __builtin_cpu_supports("avx512vpopcntdq") != 0;
  if (avx2 && avx512) sets.push_back(avx512_kernels());
  if (avx2) sets.push_back(avx2_kernels());
#endif
  sets.push_back(portable_kernels());
  return sets;
}

KernelSet choose_kernels(bool portable) {
  const std::vector<KernelSet> sets = supported_kernels();
  return portable ? sets.back() : sets.front();
}

}  // namespace treeproof::threshold

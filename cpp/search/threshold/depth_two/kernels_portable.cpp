#include "core/processor.hpp"
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
  if (has_avx512()) sets.push_back(avx512_kernels());
  if (has_avx2()) sets.push_back(avx2_kernels());
#endif
  sets.push_back(portable_kernels());
  return sets;
}

KernelSet choose_kernels(bool portable) {
  const std::vector<KernelSet> sets = supported_kernels();
  return portable ? sets.back() : sets.front();
}

}  // namespace treeproof::threshold

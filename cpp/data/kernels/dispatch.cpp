#include <array>
#include <stdexcept>
#include <string>

#include "core/processor.hpp"
#include "data/kernels/variants.hpp"

namespace treeproof::kernels {
namespace {

struct Named {
  std::string_view name;
  const Variant* variant;
  bool runs;
};

std::array<Named, 3> variants() {
  return {{{"avx512", &kAvx512, kAvx512.compiled && has_avx512()},
           {"avx2", &kAvx2, kAvx2.compiled && has_avx2()},
           {"portable", &kPortable, true}}};
}

const Variant& find(std::string_view name) {
  for (const Named& v : variants())
    if (v.runs && (name.empty() || v.name == name)) return *v.variant;
  throw std::invalid_argument("kernel '" + std::string(name) + "' does not run on this machine");
}

}  // namespace

template <>
const Kernels<std::uint16_t>& select<std::uint16_t>(std::string_view name) {
  return find(name).narrow;
}
template <>
const Kernels<std::uint32_t>& select<std::uint32_t>(std::string_view name) {
  return find(name).wide;
}

std::vector<std::string_view> available() {
  std::vector<std::string_view> names;
  for (const Named& v : variants())
    if (v.runs) names.push_back(v.name);
  return names;
}

}  // namespace treeproof::kernels

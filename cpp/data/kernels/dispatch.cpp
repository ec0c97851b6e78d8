#include <array>
#include <stdexcept>
#include <string>

#include "data/kernels/variants.hpp"

namespace treeproof::kernels {
namespace {

struct Named {
  std::string_view name;
  const Variant* variant;
  bool runs;
};

#if defined(__x86_64__)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bitalg") &&
         __builtin_cpu_supports("avx512vpopcntdq");
}
#else
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

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

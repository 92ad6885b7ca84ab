// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <initializer_list>
#include <utility>

namespace sits::cpu {
namespace {

#if defined(__x86_64__)

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers leaf(unsigned number, unsigned sub = 0) {
  Registers r;
  __get_cpuid_count(number, sub, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

bool bit(unsigned word, unsigned index) { return ((word >> index) & 1u) != 0; }

std::uint64_t saved_state() {
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

struct Family {
  bool amd = false;
  unsigned family = 0, model = 0;
};

Family family() {
  constexpr unsigned kAuthenticAmd = 0x68747541u;  // "Auth"
  const unsigned signature = leaf(1).eax;
  Family f;
  f.amd = leaf(0).ebx == kAuthenticAmd;
  f.family = (signature >> 8) & 15u;
  f.model = (signature >> 4) & 15u;
  if (f.family >= 6) f.model |= ((signature >> 16) & 15u) << 4;
  if (f.family == 15) f.family += (signature >> 20) & 255u;
  return f;
}

#endif

}  // namespace

Isa detect_isa() {
  Isa isa;
#if defined(__x86_64__)
  const Registers one = leaf(1);
  constexpr unsigned kOsxsave = 27;
  if (!bit(one.ecx, kOsxsave)) return isa;
  const std::uint64_t state = saved_state();
  const bool ymm = (state & 6u) == 6u, zmm = (state & 0xe6u) == 0xe6u;
  const Registers seven = leaf(7), seven_one = leaf(7, 1);
  isa.fma = ymm && bit(one.ecx, 12);
  isa.f16c = ymm && bit(one.ecx, 29);
  isa.avx2 = ymm && bit(one.ecx, 28) && bit(seven.ebx, 5) && bit(seven.ebx, 3) && bit(seven.ebx, 8);  // with BMI1, BMI2
  isa.avx512 = zmm && isa.avx2;
  for (const unsigned feature : {16u, 17u, 28u, 30u, 31u}) isa.avx512 = isa.avx512 && bit(seven.ebx, feature);
  isa.avx512_vnni = isa.avx512 && bit(seven.ecx, 11);
  isa.avx_vnni = isa.avx2 && bit(seven_one.eax, 4);
  isa.avx512_bf16 = isa.avx512 && bit(seven_one.eax, 5);
  isa.avx512_fp16 = isa.avx512 && bit(seven.edx, 23);
#elif defined(__aarch64__)
  isa.neon = true;
#endif
  return isa;
}

std::string Isa::text() const {
  std::string names;
  for (const auto &[present, name] : std::initializer_list<std::pair<bool, const char *>>{{avx2, "avx2"},
                                                                                          {fma, "fma"},
                                                                                          {f16c, "f16c"},
                                                                                          {avx512, "avx512"},
                                                                                          {avx512_vnni, "avx512_vnni"},
                                                                                          {avx_vnni, "avx_vnni"},
                                                                                          {avx512_bf16, "avx512_bf16"},
                                                                                          {avx512_fp16, "avx512_fp16"},
                                                                                          {neon, "neon"}})
    if (present) names.append(names.empty() ? "" : " ").append(name);
  return names;
}

std::string arch_name(const Isa &isa) {
#if defined(__x86_64__)
  if (isa.avx512) return "x86-64-v4";
  return isa.avx2 && isa.fma && isa.f16c ? "x86-64-v3" : "x86-64";
#elif defined(__aarch64__)
  static_cast<void>(isa);
  return "aarch64";
#else
  static_cast<void>(isa);
  return "unknown";
#endif
}

double ops_per_clock(const Isa &isa, std::uint32_t type) {
#if defined(__x86_64__)
  if (!isa.avx2 || !isa.fma) return 0;
  const Family f = family();
  const bool half_avx2 = f.amd && f.family == 0x17 && f.model < 0x30;  // Zen 1: 128-bit units
  const bool half_avx512 = f.amd && f.family == 0x19;                  // Zen 4: 512-bit operations take two passes
  const double f32_256 = half_avx2 ? 16 : 32;
  const double f32 = isa.avx512 && !half_avx512 ? 64 : f32_256;
  switch (type) {
    case SITS_F32: return f32;
    case SITS_F64: return f32 / 2;
    case SITS_BF16: return isa.avx512_bf16 ? f32 * 2 : 0;
    case SITS_F16: return isa.avx512_fp16 ? f32 * 2 : 0;
    case SITS_I8: return isa.avx512_vnni || isa.avx_vnni ? (isa.avx512_vnni ? f32 : f32_256) * 4 : f32 * 2;
    default: return 0;
  }
#else
  static_cast<void>(isa);
  static_cast<void>(type);
  return 0;
#endif
}

}  // namespace sits::cpu

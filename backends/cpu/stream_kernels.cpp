// SPDX-License-Identifier: Apache-2.0
//
// Compiled once per instruction set by foreach_target.h. The table of sets at the end is our own, so that no Highway
// library is needed when the plugin is loaded.
#include "backends/cpu/stream_kernels.h"

#include <algorithm>
#include <cstring>

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/stream_kernels.cpp"
#include "hwy/foreach_target.h"  // NOLINT: must come before highway.h
//
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sits::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using std::size_t;

constexpr double kScale = 0.5;

/// Elements that are computed as they are stored.
template <typename T>
struct Same {
  using Element = T;
  hn::ScalableTag<T> d;
  auto load(const T *from) const { return hn::Load(d, from); }
  template <bool kNonTemporal, class V>
  void store(V v, T *to) const {
    if constexpr (kNonTemporal)
      hn::Stream(v, d, to);
    else
      hn::Store(v, d, to);
  }
};

/// f16 in memory, f32 in registers.
struct Half {
  using Element = hwy::float16_t;
  hn::ScalableTag<float> d;
  hn::Rebind<hwy::float16_t, hn::ScalableTag<float>> stored;
  auto load(const Element *from) const { return hn::PromoteTo(d, hn::Load(stored, from)); }
  template <bool kNonTemporal, class V>
  void store(V v, Element *to) const {
    const auto narrow = hn::DemoteTo(stored, v);
    if constexpr (kNonTemporal)
      hn::Stream(narrow, stored, to);
    else
      hn::Store(narrow, stored, to);
  }
};

/// bf16 in memory, f32 in registers; rounds to nearest even, as finite values allow.
struct Brain {
  using Element = std::uint16_t;
  hn::ScalableTag<float> d;
  hn::Rebind<std::uint16_t, hn::ScalableTag<float>> stored;
  auto load(const Element *from) const {
    const hn::RebindToUnsigned<decltype(d)> u32;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(u32, hn::Load(stored, from))));
  }
  template <bool kNonTemporal, class V>
  void store(V v, Element *to) const {
    const hn::RebindToUnsigned<decltype(d)> u32;
    const hn::RebindToSigned<decltype(d)> i32;
    const auto bits = hn::BitCast(u32, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u32, 1));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(u32, 0x7fff))));
    const auto narrow = hn::DemoteTo(stored, hn::BitCast(i32, rounded));
    if constexpr (kNonTemporal)
      hn::Stream(narrow, stored, to);
    else
      hn::Store(narrow, stored, to);
  }
};

struct Copy {
  static constexpr int kInputs = 1;
  template <class D, class V>
  static V apply(D, V x, V) {
    return x;
  }
};
struct Scale {
  static constexpr int kInputs = 1;
  template <class D, class V>
  static V apply(D d, V x, V) {
    return hn::Mul(hn::Set(d, static_cast<hn::TFromD<D>>(kScale)), x);
  }
};
struct Add {
  static constexpr int kInputs = 2;
  template <class D, class V>
  static V apply(D, V x, V y) {
    return hn::Add(x, y);
  }
};
struct Triad {
  static constexpr int kInputs = 2;
  template <class D, class V>
  static V apply(D d, V x, V y) {
    return hn::MulAdd(hn::Set(d, static_cast<hn::TFromD<D>>(kScale)), y, x);
  }
};
struct Write {
  static constexpr int kInputs = 0;
  template <class D, class V>
  static V apply(D d, V, V) {
    return hn::Set(d, static_cast<hn::TFromD<D>>(kScale));
  }
};

/// out[i] = Op(x[i], y[i]). Four vectors in flight; the loads of a round stand before its stores.
template <class Op, class Access, bool kNonTemporal>
void map(const StreamPart &part) {
  using T = typename Access::Element;
  const Access access;
  const auto d = access.d;
  const size_t lanes = hn::Lanes(d);
  const auto *HWY_RESTRICT x = static_cast<const T *>(part.in[0]);
  const auto *HWY_RESTRICT y = static_cast<const T *>(part.in[1]);
  auto *HWY_RESTRICT out = static_cast<T *>(part.out);
  const size_t count = part.count;
  const auto value = [&](const T *px, const T *py) HWY_ATTR {
    if constexpr (Op::kInputs == 0) {
      return Op::apply(d, hn::Zero(d), hn::Zero(d));
    } else if constexpr (Op::kInputs == 1) {
      const auto v = access.load(px);
      return Op::apply(d, v, v);
    } else {
      return Op::apply(d, access.load(px), access.load(py));
    }
  };
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto v0 = value(x + i, y + i);
    const auto v1 = value(x + i + lanes, y + i + lanes);
    const auto v2 = value(x + i + 2 * lanes, y + i + 2 * lanes);
    const auto v3 = value(x + i + 3 * lanes, y + i + 3 * lanes);
    access.template store<kNonTemporal>(v0, out + i);
    access.template store<kNonTemporal>(v1, out + i + lanes);
    access.template store<kNonTemporal>(v2, out + i + 2 * lanes);
    access.template store<kNonTemporal>(v3, out + i + 3 * lanes);
  }
  for (; i < count; i += lanes) {
    const size_t rest = std::min(lanes, count - i);
    HWY_ALIGN T tail[3][hn::MaxLanes(hn::ScalableTag<T>())] = {};
    if constexpr (Op::kInputs > 0) std::memcpy(tail[0], x + i, rest * sizeof(T));
    if constexpr (Op::kInputs > 1) std::memcpy(tail[1], y + i, rest * sizeof(T));
    access.template store<false>(value(tail[0], tail[1]), tail[2]);
    std::memcpy(out + i, tail[2], rest * sizeof(T));
  }
  if constexpr (kNonTemporal) hwy::FlushStream();
}

/// Sum of one block: eight partial sums per lane hide the latency of the addition; the terms are small integers, so
/// that every order of summation is exact.
template <class Access>
auto block_sum(const typename Access::Element *HWY_RESTRICT x, size_t count) {
  using T = typename Access::Element;
  const Access access;
  const auto d = access.d;
  const size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  size_t i = 0;
  for (; i + 8 * lanes <= count; i += 8 * lanes) {
    s0 = hn::Add(s0, access.load(x + i));
    s1 = hn::Add(s1, access.load(x + i + lanes));
    s2 = hn::Add(s2, access.load(x + i + 2 * lanes));
    s3 = hn::Add(s3, access.load(x + i + 3 * lanes));
    s4 = hn::Add(s4, access.load(x + i + 4 * lanes));
    s5 = hn::Add(s5, access.load(x + i + 5 * lanes));
    s6 = hn::Add(s6, access.load(x + i + 6 * lanes));
    s7 = hn::Add(s7, access.load(x + i + 7 * lanes));
  }
  for (; i < count; i += lanes) {
    HWY_ALIGN T tail[hn::MaxLanes(hn::ScalableTag<T>())] = {};
    std::memcpy(tail, x + i, std::min(lanes, count - i) * sizeof(T));
    s0 = hn::Add(s0, access.load(tail));
  }
  s0 = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  s4 = hn::Add(hn::Add(s4, s5), hn::Add(s6, s7));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s4)));
}

template <class Access>
void read_blocks(const StreamPart &part) {
  using T = typename Access::Element;
  constexpr size_t kBlock = SITS_STREAM_READ_BLOCK_BYTES / sizeof(T);
  const auto *x = static_cast<const T *>(part.in[0]);
  using Sum = decltype(block_sum<Access>(x, 0));
  auto *sums = static_cast<Sum *>(part.out);
  for (size_t first = 0; first < part.count; first += kBlock)
    *sums++ = block_sum<Access>(x + first, std::min(kBlock, part.count - first));
}

template <class Op, class Access>
StreamKernel choose_map(bool non_temporal) {
  return non_temporal ? &map<Op, Access, true> : &map<Op, Access, false>;
}

template <class Access>
StreamKernel arithmetic(std::uint32_t kind, bool non_temporal) {
  switch (kind) {
    case SITS_STREAM_SCALE: return choose_map<Scale, Access>(non_temporal);
    case SITS_STREAM_ADD: return choose_map<Add, Access>(non_temporal);
    case SITS_STREAM_TRIAD: return choose_map<Triad, Access>(non_temporal);
    case SITS_STREAM_READ: return &read_blocks<Access>;
    case SITS_STREAM_WRITE: return choose_map<Write, Access>(non_temporal);
    default: return nullptr;
  }
}

StreamKernel choose(std::uint32_t kind, std::uint32_t type, bool non_temporal) {
  const bool copy = kind == SITS_STREAM_COPY;
  switch (type) {
    case SITS_F64:
      return copy ? choose_map<Copy, Same<double>>(non_temporal) : arithmetic<Same<double>>(kind, non_temporal);
    case SITS_F32:
      return copy ? choose_map<Copy, Same<float>>(non_temporal) : arithmetic<Same<float>>(kind, non_temporal);
    case SITS_F16:
      return copy ? choose_map<Copy, Same<std::uint16_t>>(non_temporal) : arithmetic<Half>(kind, non_temporal);
    case SITS_BF16:
      return copy ? choose_map<Copy, Same<std::uint16_t>>(non_temporal) : arithmetic<Brain>(kind, non_temporal);
    case SITS_I8: return copy ? choose_map<Copy, Same<std::uint8_t>>(non_temporal) : nullptr;
    default: return nullptr;
  }
}

}  // namespace sits::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sits::cpu {
namespace {

struct Target {
  const char *name;
  StreamKernel (*choose)(std::uint32_t, std::uint32_t, bool);
};

/// The best compiled set that this process may use; the static one, last, always is.
Target target_for(const Isa &isa) {
#if HWY_TARGETS & HWY_AVX3
  if (isa.avx512) return {"avx512", &N_AVX3::choose};
#endif
#if HWY_TARGETS & HWY_AVX2
  if (isa.avx2 && isa.fma && isa.f16c) return {"avx2", &N_AVX2::choose};
#endif
  return {isa.neon ? "neon" : "portable", &HWY_STATIC_DISPATCH(choose)};
}

}  // namespace

StreamKernel stream_kernel(const Isa &isa, std::uint32_t kind, std::uint32_t type, bool non_temporal) {
  return target_for(isa).choose(kind, type, non_temporal);
}

const char *stream_isa_name(const Isa &isa) { return target_for(isa).name; }

}  // namespace sits::cpu
#endif

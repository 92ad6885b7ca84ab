// SPDX-License-Identifier: Apache-2.0
//
// One oneDNN matmul of fixed shape, with weights in the layout that oneDNN prefers.
#pragma once

#include "backends/cpu/provider_onednn_api.h"

#if defined(SITS_CPU_HAS_ONEDNN)
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sits::cpu {

/// Owns a oneDNN object and destroys it with the function that the library gives for it.
template <typename Object>
class OneDnnHandle {
 public:
  using Pointer = Object;
  using Destroy = dnnl_status_t (*)(Object);
  OneDnnHandle() = default;
  OneDnnHandle(Object object, Destroy destroy) : object_(object), destroy_(destroy) {}
  OneDnnHandle(OneDnnHandle &&other) noexcept
      : object_(std::exchange(other.object_, nullptr)), destroy_(other.destroy_) {}
  OneDnnHandle &operator=(OneDnnHandle &&other) noexcept {
    std::swap(object_, other.object_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~OneDnnHandle() {
    if (object_ != nullptr) destroy_(object_);
  }
  Object get() const { return object_; }

 private:
  Object object_ = nullptr;
  Destroy destroy_ = nullptr;
};

struct OneDnnShape {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  std::uint32_t type_a = 0, type_b = 0, type_out = 0;
  std::uint32_t epilogue = SITS_EPILOGUE_NONE;
  double scale = 1.0;
};

struct OneDnnOperands {
  const void *a, *weights;  // weights in the packed layout
  const void *bias;         // f32, already divided by the scale; NULL without
  void *c;
};

class OneDnnMatmul {
 public:
  /// Throws sdk::Failure when the library has no (optimised) implementation.
  OneDnnMatmul(const OneDnnApi &api, dnnl_engine_t engine, const OneDnnShape &shape);

  const std::string &implementation() const { return implementation_; }
  std::size_t packed_bytes() const { return packed_bytes_; }

  /// Binds operands once, so that run() only executes. Returns their index.
  std::size_t bind(const OneDnnOperands &operands, const void *plain_b);
  void pack(std::size_t index, dnnl_stream_t stream) const;
  void run(std::size_t index, dnnl_stream_t stream) const;

 private:
  struct Bound {
    OneDnnHandle<dnnl_memory_t> a, weights, bias, c, plain_b;
  };
  OneDnnHandle<dnnl_memory_t> memory(const dnnl_memory_desc_t &desc, const void *data) const;
  OneDnnHandle<dnnl_primitive_desc_t> describe(const OneDnnShape &shape);

  const OneDnnApi &api_;
  dnnl_engine_t engine_;
  dnnl_memory_desc_t a_{}, plain_b_{}, weights_{}, bias_{}, c_{};
  bool has_bias_ = false;
  std::string implementation_;
  std::size_t packed_bytes_ = 0;
  OneDnnHandle<dnnl_primitive_t> multiply_, reorder_;
  std::vector<Bound> bound_;
};

}  // namespace sits::cpu
#endif

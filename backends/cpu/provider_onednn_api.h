// SPDX-License-Identifier: Apache-2.0
//
// The part of oneDNN 2.x's C interface that a GEMM needs, resolved at run time with the types of its own header.
#pragma once

#include <string>

#include "backends/cpu/workload.h"

#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#if DNNL_VERSION_MAJOR == 2
#define SITS_CPU_HAS_ONEDNN 1
#endif
#endif

#if defined(SITS_CPU_HAS_ONEDNN)
#define SITS_ONEDNN_FUNCTIONS(apply)                                                                            \
  apply(engine_create) apply(engine_destroy) apply(stream_create) apply(stream_wait) apply(stream_destroy)      \
      apply(memory_desc_init_by_strides) apply(memory_desc_init_by_tag) apply(memory_desc_get_size)             \
          apply(matmul_desc_init) apply(primitive_attr_create) apply(primitive_attr_destroy)                    \
              apply(primitive_attr_set_output_scales) apply(primitive_attr_set_post_ops) apply(post_ops_create) \
                  apply(post_ops_destroy) apply(post_ops_append_eltwise) apply(primitive_desc_create)           \
                      apply(primitive_desc_destroy) apply(primitive_desc_query) apply(primitive_desc_query_md)  \
                          apply(reorder_primitive_desc_create) apply(primitive_create) apply(primitive_execute) \
                              apply(primitive_destroy) apply(memory_create) apply(memory_destroy)

namespace sits::cpu {

struct OneDnnApi {
#define SITS_DECLARE(name) decltype(&dnnl_##name) name = nullptr;
  SITS_ONEDNN_FUNCTIONS(SITS_DECLARE)
#undef SITS_DECLARE
  std::string version;  // "2.6.3"
  std::string reason;   // why it cannot be used, else empty

  /// Throws sdk::Failure: SITS_UNSUPPORTED for dnnl_unimplemented, else SITS_INTERNAL with call and code.
  void check(dnnl_status_t status, const char *call) const;
};

/// Opened at the first call. The version is checked before any other symbol is looked up.
const OneDnnApi &onednn_api(const Context &context);

}  // namespace sits::cpu
#endif

// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/provider_onednn_matmul.h"

#if defined(SITS_CPU_HAS_ONEDNN)
#include <array>

#include "backends/sdk/failure.h"
#include "sits/dtype.h"

namespace sits::cpu {
namespace {

dnnl_data_type_t data_type(std::uint32_t type) {
  switch (type) {
    case SITS_F32: return dnnl_f32;
    case SITS_BF16: return dnnl_bf16;
    case SITS_I8: return dnnl_s8;
    case SITS_I32: return dnnl_s32;
    default: return dnnl_data_type_undef;
  }
}

struct Dims {
  int count = 0;
  dnnl_dims_t at{};
};

// Two dimensions, or three with a batch.
Dims dims_of(std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  if (batch == 1) return {2, {rows, columns}};
  return {3, {batch, rows, columns}};
}

Dims strides_of(std::int64_t batch, std::int64_t rows, std::int64_t columns, bool transposed) {
  const std::int64_t row = transposed ? 1 : columns, column = transposed ? rows : 1;
  if (batch == 1) return {2, {row, column}};
  return {3, {rows * columns, row, column}};
}

dnnl_alg_kind_t activation(std::uint32_t epilogue) {
  switch (epilogue) {
    case SITS_EPILOGUE_BIAS_RELU: return dnnl_eltwise_relu;
    case SITS_EPILOGUE_BIAS_GELU: return dnnl_eltwise_gelu_erf;
    case SITS_EPILOGUE_BIAS_SILU: return dnnl_eltwise_swish;
    default: return dnnl_alg_kind_undef;
  }
}

OneDnnHandle<dnnl_primitive_attr_t> attributes(const OneDnnApi &api, const OneDnnShape &shape) {
  dnnl_primitive_attr_t raw = nullptr;
  api.check(api.primitive_attr_create(&raw), "dnnl_primitive_attr_create");
  OneDnnHandle<dnnl_primitive_attr_t> attr(raw, api.primitive_attr_destroy);
  if (shape.scale != 1.0) {
    const auto scale = static_cast<float>(shape.scale);
    api.check(api.primitive_attr_set_output_scales(raw, 1, 0, &scale), "dnnl_primitive_attr_set_output_scales");
  }
  if (activation(shape.epilogue) == dnnl_alg_kind_undef) return attr;
  dnnl_post_ops_t ops = nullptr;
  api.check(api.post_ops_create(&ops), "dnnl_post_ops_create");
  const OneDnnHandle<dnnl_post_ops_t> owner(ops, api.post_ops_destroy);
  const float alpha = shape.epilogue == SITS_EPILOGUE_BIAS_SILU ? 1.0f : 0.0f;
  api.check(api.post_ops_append_eltwise(ops, 1.0f, activation(shape.epilogue), alpha, 0.0f),
            "dnnl_post_ops_append_eltwise");
  api.check(api.primitive_attr_set_post_ops(raw, ops), "dnnl_primitive_attr_set_post_ops");
  return attr;
}

}  // namespace

OneDnnHandle<dnnl_primitive_desc_t> OneDnnMatmul::describe(const OneDnnShape &s) {
  const auto strided = [&](dnnl_memory_desc_t &desc, std::int64_t rows, std::int64_t columns, std::uint32_t type,
                           bool transposed) {
    const Dims dims = dims_of(s.batch, rows, columns), strides = strides_of(s.batch, rows, columns, transposed);
    api_.check(api_.memory_desc_init_by_strides(&desc, dims.count, dims.at, data_type(type), strides.at),
               "dnnl_memory_desc_init_by_strides");
  };
  strided(a_, s.m, s.k, s.type_a, s.trans_a);
  strided(plain_b_, s.k, s.n, s.type_b, s.trans_b);
  strided(c_, s.m, s.n, s.type_out, false);
  dnnl_memory_desc_t any{};
  const Dims dims = dims_of(s.batch, s.k, s.n);
  api_.check(api_.memory_desc_init_by_tag(&any, dims.count, dims.at, data_type(s.type_b), dnnl_format_tag_any),
             "dnnl_memory_desc_init_by_tag");
  has_bias_ = s.epilogue != SITS_EPILOGUE_NONE;
  if (has_bias_) {
    const Dims one = s.batch == 1 ? dims_of(1, 1, s.n) : Dims{3, {1, 1, s.n}};
    const Dims step = s.batch == 1 ? Dims{2, {s.n, 1}} : Dims{3, {s.n, s.n, 1}};
    api_.check(api_.memory_desc_init_by_strides(&bias_, one.count, one.at, dnnl_f32, step.at),
               "dnnl_memory_desc_init_by_strides");
  }
  dnnl_matmul_desc_t matmul{};
  api_.check(api_.matmul_desc_init(&matmul, &a_, &any, has_bias_ ? &bias_ : nullptr, &c_), "dnnl_matmul_desc_init");
  const auto attr = attributes(api_, s);
  dnnl_primitive_desc_t raw = nullptr;
  api_.check(api_.primitive_desc_create(&raw, &matmul, attr.get(), engine_, nullptr), "dnnl_primitive_desc_create");
  return {raw, api_.primitive_desc_destroy};
}

OneDnnMatmul::OneDnnMatmul(const OneDnnApi &api, dnnl_engine_t engine, const OneDnnShape &shape)
    : api_(api), engine_(engine) {
  const auto primitive_desc = describe(shape);
  const char *text = nullptr;
  api.check(api.primitive_desc_query(primitive_desc.get(), dnnl_query_impl_info_str, 0, &text),
            "dnnl_primitive_desc_query");
  implementation_ = text == nullptr ? "" : text;
  if (implementation_.starts_with("ref"))
    throw sdk::Failure(SITS_UNSUPPORTED, "oneDNN " + api.version + " has only its reference code (" + implementation_ +
                                             ") for this case");
  weights_ = *api.primitive_desc_query_md(primitive_desc.get(), dnnl_query_weights_md, 0);
  packed_bytes_ = api.memory_desc_get_size(&weights_);
  dnnl_primitive_t raw = nullptr;
  api.check(api.primitive_create(&raw, primitive_desc.get()), "dnnl_primitive_create");
  multiply_ = {raw, api.primitive_destroy};
  dnnl_primitive_desc_t reorder = nullptr;
  api.check(api.reorder_primitive_desc_create(&reorder, &plain_b_, engine, &weights_, engine, nullptr),
            "dnnl_reorder_primitive_desc_create");
  const OneDnnHandle<dnnl_primitive_desc_t> reorder_desc(reorder, api.primitive_desc_destroy);
  raw = nullptr;
  api.check(api.primitive_create(&raw, reorder), "dnnl_primitive_create");
  reorder_ = {raw, api.primitive_destroy};
}

OneDnnHandle<dnnl_memory_t> OneDnnMatmul::memory(const dnnl_memory_desc_t &desc, const void *data) const {
  dnnl_memory_t raw = nullptr;
  // oneDNN takes every handle as writable and writes only to destinations
  api_.check(api_.memory_create(&raw, &desc, engine_, const_cast<void *>(data)), "dnnl_memory_create");
  return {raw, api_.memory_destroy};
}

std::size_t OneDnnMatmul::bind(const OneDnnOperands &operands, const void *plain_b) {
  Bound bound;
  bound.a = memory(a_, operands.a);
  bound.weights = memory(weights_, operands.weights);
  if (has_bias_) bound.bias = memory(bias_, operands.bias);
  bound.c = memory(c_, operands.c);
  bound.plain_b = memory(plain_b_, plain_b);
  bound_.push_back(std::move(bound));
  return bound_.size() - 1;
}

void OneDnnMatmul::pack(std::size_t index, dnnl_stream_t stream) const {
  const Bound &bound = bound_[index];
  const std::array<dnnl_exec_arg_t, 2> args = {
      {{DNNL_ARG_FROM, bound.plain_b.get()}, {DNNL_ARG_TO, bound.weights.get()}}};
  api_.check(api_.primitive_execute(reorder_.get(), stream, 2, args.data()), "dnnl_primitive_execute");
  api_.check(api_.stream_wait(stream), "dnnl_stream_wait");
}

void OneDnnMatmul::run(std::size_t index, dnnl_stream_t stream) const {
  const Bound &bound = bound_[index];
  const std::array<dnnl_exec_arg_t, 4> args = {{{DNNL_ARG_SRC, bound.a.get()},
                                                {DNNL_ARG_WEIGHTS, bound.weights.get()},
                                                {DNNL_ARG_DST, bound.c.get()},
                                                {DNNL_ARG_BIAS, bound.bias.get()}}};
  api_.check(api_.primitive_execute(multiply_.get(), stream, has_bias_ ? 4 : 3, args.data()), "dnnl_primitive_execute");
  api_.check(api_.stream_wait(stream), "dnnl_stream_wait");
}

}  // namespace sits::cpu
#endif

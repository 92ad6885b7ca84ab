// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <string_view>

#include "backends/cpu/fill.h"
#include "backends/cpu/operations.h"
#include "backends/cpu/spec.h"
#include "backends/cpu/stream_kernels.h"
#include "backends/cpu/workload.h"
#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::cpu {
namespace {

/// What each kind reads and writes, in the order of its tensors.
struct Kind {
  std::uint32_t code;
  const char *name;
  unsigned inputs;
  std::array<const char *, 2> input_names;
  const char *output_name;
};
constexpr Kind kKinds[] = {
    {SITS_STREAM_COPY, "copy", 1, {"a", ""}, "c"},   {SITS_STREAM_SCALE, "scale", 1, {"c", ""}, "b"},
    {SITS_STREAM_ADD, "add", 2, {"a", "b"}, "c"},    {SITS_STREAM_TRIAD, "triad", 2, {"b", "c"}, "a"},
    {SITS_STREAM_READ, "read", 1, {"a", ""}, "sum"}, {SITS_STREAM_WRITE, "write", 0, {"", ""}, "a"},
};

// Parts are whole cache lines, coarse enough that two threads never write one line; arrays begin in different sets and
// at different offsets within a page, so that a store does not alias the next loads.
constexpr std::uint64_t kPartBytes = 1024;
constexpr std::uint64_t kPage = 4096, kStagger = 1024 + 64;
constexpr double kGuessedBytesPerSecond = 10e9;  // of one thread; only for a first time estimate

struct Plan {
  const Kind *kind = nullptr;
  std::uint32_t type = 0, sum_type = 0;
  std::uint64_t bytes = 0, count = 0, out_count = 0, out_bytes = 0;
  std::uint64_t array_stride = 0, copy_bytes = 0;
  std::uint64_t traffic() const { return bytes * kind->inputs + out_bytes; }
};

Plan plan_of(const Context &context, const sits_case &test_case) {
  require_own_provider(test_case);
  const auto spec = spec_of<sits_stream_spec>(test_case);
  Plan plan;
  for (const Kind &kind : kKinds)
    if (kind.code == spec.kind) plan.kind = &kind;
  if (plan.kind == nullptr)
    throw sdk::Failure(SITS_UNSUPPORTED, "stream kind " + std::to_string(spec.kind) + " is unknown to this backend");
  if (stream_kernel(context.machine.isa, spec.kind, spec.type, false) == nullptr)
    throw sdk::Failure(SITS_UNSUPPORTED, std::string("stream ") + plan.kind->name + " has no kernel for " +
                                             dtype_name(spec.type) +
                                             (spec.type == SITS_I8 ? " (0.5 is not an integer); copy has" : ""));
  const std::uint64_t element = bits_of(spec.type) / 8;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 46;
  if (spec.bytes == 0 || spec.bytes % element != 0 || spec.bytes > kLargest)
    throw sdk::Failure(SITS_INVALID_ARGUMENT, "stream bytes " + std::to_string(spec.bytes) + " must be a multiple of " +
                                                  std::to_string(element) + " in 1 … 64 TiB");
  plan.type = spec.type;
  plan.sum_type = spec.type == SITS_F64 ? SITS_F64 : SITS_F32;
  plan.bytes = spec.bytes;
  plan.count = spec.bytes / element;
  const bool read = spec.kind == SITS_STREAM_READ;
  const std::uint64_t blocks = (spec.bytes + SITS_STREAM_READ_BLOCK_BYTES - 1) / SITS_STREAM_READ_BLOCK_BYTES;
  plan.out_count = read ? blocks : plan.count;
  plan.out_bytes = read ? bytes_of(plan.sum_type, blocks) : spec.bytes;
  plan.array_stride = (spec.bytes + kPage - 1) / kPage * kPage + kStagger;
  const std::uint64_t used = plan.array_stride * plan.kind->inputs + plan.out_bytes;
  plan.copy_bytes = (used + kPage - 1) / kPage * kPage;
  return plan;
}

class StreamWorkload final : public Workload {
 public:
  StreamWorkload(Context &context, const PrepareRequest &request)
      : pool_(*context.pool), plan_(plan_of(context, *request.test_case)) {
    copies_ = copies_for(request, plan_.copy_bytes);
    memory_ = Buffer(plan_.copy_bytes * copies_);
    const Machine &machine = context.machine;
    constexpr std::uint64_t kUsualL2 = std::uint64_t{512} << 10;
    const std::uint64_t l2 = machine.l2_bytes != 0 ? machine.l2_bytes : kUsualL2;
    const bool non_temporal =
        plan_.kind->code != SITS_STREAM_READ && plan_.copy_bytes * copies_ > l2 * std::uint64_t{pool_.size()};
    kernel_ = stream_kernel(machine.isa, plan_.kind->code, plan_.type, non_temporal);
    provider_ = std::string(kOwnProvider) + ' ' + stream_isa_name(machine.isa) + (non_temporal ? " non-temporal" : "");
    describe_tensors();
    fill_inputs(request.test_case->seed);
    poison();  // the first touch of the outputs
  }

  const std::vector<Tensor> &tensors() const override { return tensors_; }
  std::uint32_t copies() const override { return copies_; }
  std::string provider() const override { return provider_; }
  bool on_pool() const override { return true; }

  void read(std::uint32_t tensor, std::uint32_t copy, std::uint64_t first, std::uint64_t count, void *dst) override {
    const std::uint32_t type = tensors_[tensor].type;
    std::memcpy(dst, array(copy, tensor) + bytes_of(type, first), bytes_of(type, count));
  }

  void poison() override {
    const std::uint64_t grain = plan_.kind->code == SITS_STREAM_READ ? 1 : part_elements();
    for (std::uint32_t copy = 0; copy < copies_; ++copy)
      poison_parallel(pool_, array(copy, plan_.kind->inputs), tensors_.back().type, plan_.out_count, grain);
  }

  void iterate(std::uint32_t copy) override {
    const bool read = plan_.kind->code == SITS_STREAM_READ;
    const std::uint64_t element = bits_of(plan_.type) / 8;
    const std::uint8_t *base = array(copy, 0);
    std::uint8_t *out = array(copy, plan_.kind->inputs);
    pool_.run([&](unsigned t) {
      const Range part = part_of(plan_.count, t, pool_.size(), part_elements());
      if (part.begin == part.end) return;
      const std::uint64_t offset = part.begin * element;
      const std::uint64_t out_offset = read ? bytes_of(plan_.sum_type, offset / SITS_STREAM_READ_BLOCK_BYTES) : offset;
      kernel_({{base + offset, base + plan_.array_stride + offset}, out + out_offset, part.end - part.begin});
    });
  }

 private:
  /// Elements that one thread owns at least, in one piece.
  std::uint64_t part_elements() const {
    const std::uint64_t bytes = plan_.kind->code == SITS_STREAM_READ ? SITS_STREAM_READ_BLOCK_BYTES : kPartBytes;
    return bytes / (bits_of(plan_.type) / 8);
  }

  std::uint8_t *array(std::uint32_t copy, std::uint32_t index) {
    return memory_.as<std::uint8_t>() + copy * plan_.copy_bytes + index * plan_.array_stride;
  }

  void describe_tensors() {
    const bool read = plan_.kind->code == SITS_STREAM_READ;
    for (unsigned i = 0; i < plan_.kind->inputs; ++i)
      tensors_.push_back({plan_.kind->input_names[i], SITS_ROLE_INPUT, plan_.type,
                          read ? std::uint32_t{SITS_FILL_SMALL_INTEGER} : std::uint32_t{SITS_FILL_UNIFORM}, plan_.count,
                          i, copies_});
    tensors_.push_back({plan_.kind->output_name, SITS_ROLE_OUTPUT, read ? plan_.sum_type : plan_.type, SITS_FILL_NONE,
                        plan_.out_count, plan_.kind->inputs, copies_});
  }

  void fill_inputs(std::uint64_t seed) {
    for (std::uint32_t copy = 0; copy < copies_; ++copy)
      for (unsigned i = 0; i < plan_.kind->inputs; ++i)
        generate_parallel(pool_, array(copy, i), plan_.type, tensors_[i].fill,
                          tensor_key(seed, tensors_[i].stream + std::uint64_t{copy} * SITS_COPY_STRIDE), plan_.count,
                          part_elements());
  }

  Pool &pool_;
  Plan plan_;
  std::uint32_t copies_ = 1;
  Buffer memory_;
  StreamKernel kernel_ = nullptr;
  std::string provider_;
  std::vector<Tensor> tensors_;
};

Answer query(const Context &context, const sits_case &test_case) {
  const Plan plan = plan_of(context, test_case);
  Answer answer;
  answer.type_a = answer.type_b = plan.type;
  answer.type_acc = plan.type == SITS_F64 ? SITS_F64 : SITS_F32;
  answer.copy_bytes = plan.copy_bytes;
  answer.predicted_ns = static_cast<double>(plan.traffic()) / (kGuessedBytesPerSecond * context.pool->size()) * 1e9;
  answer.providers = kOwnProvider;
  if (plan.type == SITS_F16 || plan.type == SITS_BF16) answer.note = "16-bit storage, f32 compute";
  return answer;
}

std::unique_ptr<Workload> prepare(Context &context, const PrepareRequest &request) {
  return std::make_unique<StreamWorkload>(context, request);
}

}  // namespace

OperationEntry stream_operation() { return {SITS_OP_STREAM, &query, &prepare}; }

}  // namespace sits::cpu

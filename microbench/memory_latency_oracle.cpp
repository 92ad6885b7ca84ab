// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "microbench/checkers.h"
#include "microbench/inputs.h"
#include "microbench/tolerance.h"
#include "sits/generator.h"

namespace sits::microbench {
namespace {

constexpr std::uint64_t kLineBytes = 64;

/// Where the walk over the generator's cycle stands after 0, 1, … lines - 1 steps from line 0. Throws CaseError when
/// the walk comes back to line 0 earlier: not a single cycle.
std::vector<std::uint32_t> walk_cycle(std::uint32_t key, std::uint32_t lines) {
  std::vector<std::uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0u);
  for (std::uint32_t i = lines - 1; i > 0; --i) std::swap(next[i], next[cycle_partner(key, i)]);
  std::vector<std::uint32_t> reached(lines);
  std::uint32_t line = 0;
  for (std::uint32_t step = 0; step < lines; ++step, line = next[line]) {
    if (step > 0 && line == 0) throw CaseError(fmt::format("the cycle of {} lines closes after {} steps", lines, step));
    reached[step] = line;
  }
  return reached;
}

class CycleChecker : public Checker {
 public:
  CycleChecker(const MemoryLatencySpec &spec, const OracleRequest &request)
      : lines_(spec.bytes / kLineBytes), seed_(request.seed) {
    if (lines_ < 2 || lines_ > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
      throw CaseError(fmt::format("a chase over {} bytes has {} lines, expected 2 to 2^31 - 1", spec.bytes, lines_));
    last_ = find_tensor(request.tensors, "last", SITS_ROLE_OUTPUT, SITS_I32, 1);
    out_ = request.tensors[last_];
  }

  Verification check(std::uint32_t copy, std::uint64_t steps_total, const Reader &read) override {
    if (copy_ != copy) {
      reached_ = walk_cycle(input_stream(out_, seed_, copy).key, static_cast<std::uint32_t>(lines_));
      copy_ = copy;
    }
    std::vector<double> got(1);
    read_elements(read, last_, SITS_I32, copy_of(out_, copy), 0, got);
    const double want = reached_[static_cast<std::size_t>(steps_total % lines_)];
    Tally tally(1);
    const auto name = [&] { return fmt::format("last line after {} steps", steps_total); };
    if (steps_total == 0)
      tally.mismatch(name, got[0], want, 0);  // nothing was walked: line 0 proves nothing
    else
      tally.compare(got[0], want, 0, name);
    return std::move(tally).finish("cycle_walk");
  }

 private:
  std::uint64_t lines_, seed_;
  std::size_t last_ = 0;
  TensorInfo out_;
  std::optional<std::uint32_t> copy_;
  std::vector<std::uint32_t> reached_;
};

}  // namespace

std::unique_ptr<Checker> make_memory_latency_checker(const MemoryLatencySpec &spec, const OracleRequest &request) {
  return std::make_unique<CycleChecker>(spec, request);
}

}  // namespace sits::microbench

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "microbench/checkers.h"
#include "microbench/inputs.h"
#include "microbench/tolerance.h"

namespace sits::microbench {
namespace {

/// Every thread's accumulators end at exactly 2, whatever the type and however long the loop.
class PeakChecker : public Checker {
 public:
  explicit PeakChecker(const OracleRequest &request) {
    const auto found = std::find_if(request.tensors.begin(), request.tensors.end(),
                                    [](const TensorInfo &tensor) { return tensor.name == "acc"; });
    const std::uint64_t threads = found == request.tensors.end() ? 0 : found->count;
    acc_ = find_tensor(request.tensors, "acc", SITS_ROLE_OUTPUT, SITS_F64, threads);
    if (threads == 0) throw CaseError("tensor acc has no elements, expected one per thread");
    out_ = request.tensors[acc_];
  }

  Verification check(std::uint32_t copy, std::uint64_t, const Reader &read) override {
    std::vector<double> got(static_cast<std::size_t>(out_.count));
    read_elements(read, acc_, SITS_F64, copy_of(out_, copy), 0, got);
    Tally tally(2);
    for (std::size_t i = 0; i < got.size(); ++i)
      tally.compare(got[i], 2, 0, [&] { return "acc[" + std::to_string(i) + "]"; });
    return std::move(tally).finish("closed_form");
  }

 private:
  std::size_t acc_ = 0;
  TensorInfo out_;
};

}  // namespace

std::unique_ptr<Checker> make_peak_checker(const PeakSpec &, const OracleRequest &request) {
  return std::make_unique<PeakChecker>(request);
}

}  // namespace sits::microbench

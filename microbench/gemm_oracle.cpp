// SPDX-License-Identifier: Apache-2.0
//
// A GEMM output is always read back whole.
//  - Within GemmLimits every element is recomputed in double precision and compared.
//  - Beyond, every step-th element of each row is (step: the power of two that keeps the work within them),
//    at offsets that differ between panels of rows; every other element is held against the largest value that its row
//    can have, which no NaN (the poison of floating types) passes.
//  - There, a linear epilogue also lets Freivalds' test see every element: the signed sum over each run of `step`
//    columns of a row against A·(B·signs). If |C - exact| stays within its bounds t_j, Hoeffding's inequality over the
//    random signs gives P(|Σ ±e_j| > kDeviations · sqrt(Σ t_j²)) < 2·exp(-kDeviations²/2) = 4e-22.
#include <algorithm>
#include <cmath>
#include <optional>

#include "microbench/checkers.h"
#include "microbench/gemm_reference.h"
#include "sits/dtype.h"

namespace sits::microbench {
namespace {

constexpr double kDeviations = 10;
constexpr std::size_t kReadElements = std::size_t{1} << 20;

/// The smallest power of two, not above n, that brings a recomputation within the limits.
std::size_t sampling_step(const GemmSpec &spec, const GemmLimits &limits) {
  const double outputs = static_cast<double>(spec.m) * static_cast<double>(spec.n) * static_cast<double>(spec.batch);
  const double work = outputs * static_cast<double>(spec.k);
  std::size_t step = 1;
  while ((work > limits.multiply_adds * static_cast<double>(step) ||
          outputs > limits.elements * static_cast<double>(step)) &&
         2 * step <= static_cast<std::size_t>(spec.n))
    step *= 2;
  return step;
}

class GemmChecker : public Checker {
 public:
  GemmChecker(const GemmSpec &spec, const OracleRequest &request, const GemmLimits &limits)
      : spec_(spec),
        tensors_(request.tensors.begin(), request.tensors.end()),
        found_(find_gemm_tensors(spec, request.type_a, request.type_b, tensors_)),
        seed_(request.seed) {
    plan_.columns = static_cast<std::size_t>(spec.n);
    plan_.depth = static_cast<std::uint64_t>(spec.k);
    plan_.epilogue = spec.epilogue;
    plan_.tolerance = gemm_tolerance(spec, request.type_acc, tensors_[found_.c].type);
    plan_.step = sampling_step(spec, limits);
    plan_.sample_seed = request.sample_seed;
    plan_.largest_b = largest_input(tensors_[found_.b].type) * (found_.scale_b ? largest_input(SITS_E8M0) : 1);
  }

  Verification check(std::uint32_t copy, std::uint64_t, const Reader &read) override {
    if (copy_ != copy) prepare(copy);
    Tally tally(root_mean_square_);
    bool projected = false;
    for (const Expected &expected : expected_) {
      for (const Panel &panel : expected.panels) check_panel(expected, panel, copy, read, tally);
      projected = projected || expected.projection.has_value();
    }
    return std::move(tally).finish(plan_.step == 1 ? "recomputed" : projected ? "freivalds" : "sampled");
  }

 private:
  struct Expected {
    Product product;
    std::vector<Panel> panels;
    std::optional<Projection> projection;
  };

  void prepare(std::uint32_t copy) {
    copy_.reset();
    expected_.clear();
    double squares = 0, count = 0;
    for (Product &product : gemm_products(spec_, found_, tensors_, seed_, copy)) {
      std::vector<double> bias;
      if (found_.bias) {
        bias.resize(plan_.columns);
        generate(input_stream(tensors_[*found_.bias], seed_, copy), product.bias_first, 1, bias);
      }
      Expected &expected = expected_.emplace_back();
      expected.panels = make_panels(product, plan_, bias);
      if (may_project(expected.panels)) expected.projection = make_projection(product, plan_, bias);
      expected.product = std::move(product);
      for (const Panel &panel : expected.panels) {
        for (const double value : panel.expected) squares += value * value;
        count += static_cast<double>(panel.expected.size());
      }
    }
    root_mean_square_ = count > 0 ? std::sqrt(squares / count) : 0;
    copy_ = copy;
  }

  /// Projections see an overflow or a bent epilogue as an error.
  bool may_project(std::span<const Panel> panels) const {
    if (plan_.step == 1 || (spec_.epilogue != SITS_EPILOGUE_NONE && spec_.epilogue != SITS_EPILOGUE_BIAS)) return false;
    for (const Panel &panel : panels)
      for (const double limit : panel.limit)
        if (limit >= plan_.tolerance.max_finite) return false;
    return true;
  }

  std::string element_name(const Product &product, std::size_t row, std::size_t column) const {
    const std::string prefix = spec_.batch > 1 || !spec_.group_m.empty() ? std::to_string(product.index) + "," : "";
    return "C[" + prefix + std::to_string(row) + "," + std::to_string(column) + "]";
  }

  void check_panel(const Expected &expected, const Panel &panel, std::uint32_t copy, const Reader &read,
                   Tally &tally) const {
    const std::size_t n = plan_.columns;
    const std::size_t rows_at_once = std::max<std::size_t>(kReadElements / n, 1);
    std::vector<double> got;
    for (std::size_t row = 0; row < panel.rows; row += rows_at_once) {
      const std::size_t rows = std::min(rows_at_once, panel.rows - row);
      got.resize(rows * n);
      read_elements(read, found_.c, tensors_[found_.c].type, copy_of(tensors_[found_.c], copy),
                    expected.product.c_first + (panel.first_row + row) * n, got);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::span<const double> values(got.data() + r * n, n);
        check_row(expected, panel, row + r, values, tally);
      }
    }
  }

  void check_row(const Expected &expected, const Panel &panel, std::size_t row, std::span<const double> got,
                 Tally &tally) const {
    const auto name = [&](std::size_t column) { return element_name(expected.product, panel.first_row + row, column); };
    const LineSet &columns = panel.columns;
    if (columns.step > 1) screen_row(panel.limit[row], got, name, tally);
    for (std::size_t j = 0; j < columns.count; ++j) {
      const std::size_t column = static_cast<std::size_t>(columns.first) + j * columns.step;
      const double want = panel.expected[row * columns.count + j];
      const double bound = static_cast<double>(panel.bound[row * columns.count + j]);
      if (plan_.tolerance.overflowed_rightly(got[column], want, bound))
        tally.count_checked(1);
      else
        tally.compare(got[column], want, bound, [&] { return name(column); });
    }
    if (expected.projection) check_projections(*expected.projection, panel.first_row + row, got, name, tally);
  }

  template <class Name>
  void screen_row(double limit, std::span<const double> got, const Name &name, Tally &tally) const {
    for (std::size_t column = 0; column < got.size(); ++column) {
      if (std::fabs(got[column]) <= limit || plan_.tolerance.overflowed_rightly(got[column], limit, limit)) continue;
      tally.mismatch([&] { return name(column); }, got[column], 0, limit);
    }
  }

  template <class Name>
  void check_projections(const Projection &projection, std::size_t row, std::span<const double> got, const Name &name,
                         Tally &tally) const {
    const GemmTolerance &t = plan_.tolerance;
    for (std::size_t c = 0; c < projection.chunks; ++c) {
      const std::size_t first = c * projection.width, end = std::min(first + projection.width, got.size());
      double sum = 0, squares = 0;
      for (std::size_t j = first; j < end; ++j) {
        const double norms = projection.row_norms[row] * projection.column_norms[j];
        const double bound = t.bound(got[j], std::fabs(t.scale) * norms, 1, norms);
        sum += projection.signs[j] * got[j];
        squares += bound * bound;
      }
      const double want = projection.expected[row * projection.row_stride + c];
      const double bound = kDeviations * std::sqrt(squares);
      tally.count_checked(1);
      if (!(std::fabs(sum - want) <= bound))
        tally.mismatch([&] { return "signed sum from " + name(first) + " over " + std::to_string(end - first); }, sum,
                       want, bound);
    }
  }

  GemmSpec spec_;
  std::vector<TensorInfo> tensors_;
  GemmTensors found_;
  std::uint64_t seed_;
  ReferencePlan plan_;
  std::optional<std::uint32_t> copy_;  // whose reference is kept
  std::vector<Expected> expected_;
  double root_mean_square_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_gemm_checker(const GemmSpec &spec, const OracleRequest &request,
                                           const GemmLimits &limits) {
  return std::make_unique<GemmChecker>(spec, request, limits);
}

}  // namespace sits::microbench

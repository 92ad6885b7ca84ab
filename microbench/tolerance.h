// SPDX-License-Identifier: Apache-2.0
//
// How far a right GEMM output may lie from the exact value, and the book-keeping of a comparison.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "microbench/case.h"
#include "microbench/oracle.h"

namespace sits::microbench {

/// The factor c = kChain + kTruncation·sqrt(K) of the accumulation term c · u_acc · |a_i| · |b_j|, where |a_i| and
/// |b_j| are the Euclidean norms of the row of A and the column of B. By Cauchy–Schwarz that product is an upper bound
/// of Σ|a·b|, and for independent random operands it equals sqrt(K) · sqrt(Σ(a·b)²).
///  - Any order of summation whose longest chain has at most kChain additions stays within it, whatever the data.
///  - A sequential sum rounded to nearest has the partial sums of a random walk, |s_t| ~ sqrt(t)·σ, σ² = E(a·b)²: the
///    errors' variance is Σ u²s_t²/3 ~ u²σ²K²/6, a standard deviation of 0.41 u·|a||b|: kChain is 19 of them.
///  - A matrix unit that truncates once per 16 products errs to one side, by 0.72·u·|s_t| on average. In an output
///    5.5 standard deviations large |s_t| grows about evenly to 5.5·sqrt(K)·σ; the K/16 errors then add up to
///    0.12·sqrt(K)·u·|a||b|: kTruncation.
inline constexpr double kChain = 8;
inline constexpr double kTruncation = 1.0 / 8;
/// max |d/dx| of x/2·(1 + erf(x/√2)) is 1.1289, of x/(1 + exp(-x)) 1.0998.
inline constexpr double kEpilogueSlope = 1.13;
/// f32 evaluation of gelu and silu: roundings and the polynomial of exp or erf, in units of u·|x|.
inline constexpr double kEpilogueEvaluation = 8;

/// exp, erf and the rest in double. Throws CaseError for an unknown epilogue.
double apply_epilogue(std::uint32_t epilogue, double x);

struct GemmTolerance {
  double scale = 1;
  double u_out = 0;         // unit round-off of the output
  double half_spacing = 0;  // of the output's subnormal numbers, or 0.5 for integers
  double accumulation = 0;  // c · u_acc; 0: sums are exact
  double u_epilogue = 0;
  double roundings = 0;  // before the epilogue: conversion, scale, bias
  double slope = 1;
  double evaluation = 0;
  double max_finite = 0;  // beyond it outputs saturate, or become infinite
  bool saturates = false;

  /// What |got - expected| may be: `expected` after the epilogue, `sum` = scale · Σa·b, `norms` = |a_i|·|b_j|.
  double bound(double expected, double sum, double bias, double norms) const {
    const double before =
        slope * (accumulation * std::fabs(scale) * norms + roundings * u_epilogue * (std::fabs(sum) + std::fabs(bias)));
    const double slack = before + evaluation * u_epilogue * std::fabs(sum + bias);
    return slack + u_out * (std::fabs(expected) + slack) + half_spacing;
  }
  /// The value a saturating output shows for `expected`.
  double saturated(double expected) const;
  /// Is `got` right though it is not within the bound: an infinity where the output may overflow.
  bool overflowed_rightly(double got, double expected, double bound) const;
};

/// `type_acc`: accumulation actually used, SITS_DTYPE_NONE the natural one; `type_out`: the output's encoding.
GemmTolerance gemm_tolerance(const GemmSpec &spec, std::uint32_t type_acc, std::uint32_t type_out);

/// Collects the outcome of comparisons.
class Tally {
 public:
  /// `scale`: root mean square of the reference, the denominator of relative errors near zero.
  explicit Tally(double scale) : scale_(scale) {}

  /// One element. `name` is called for the first mismatch only and gives "C[17,3]".
  template <class Name>
  bool compare(double got, double expected, double bound, Name &&name) {
    ++result_.checked;
    const double error = std::fabs(got - expected);
    if (error * worst_bound_ > worst_error_ * bound && error <= kLargest) note(error, bound, expected);
    if (error <= bound) return true;
    mismatch(name, got, expected, bound);
    return false;
  }
  template <class Name>
  void mismatch(Name &&name, double got, double expected, double bound) {
    if (result_.mismatches++ == 0) result_.first_mismatch = describe(name(), got, expected, bound);
  }
  void count_checked(std::uint64_t more) { result_.checked += more; }
  Verification finish(std::string method) &&;

 private:
  static constexpr double kLargest = 1.7976931348623157e308;
  static std::string describe(const std::string &name, double got, double expected, double bound);
  void note(double error, double bound, double expected);

  double scale_;
  double worst_error_ = 0, worst_bound_ = 1, worst_expected_ = 0;
  Verification result_;
};

}  // namespace sits::microbench

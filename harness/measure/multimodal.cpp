// SPDX-License-Identifier: Apache-2.0
//
// The multimodality test: a valley of low density with denser samples on both sides. Against the better known dip test
// it is insensitive to where the mass outside the valley lies, and works on a clock that ticks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/measure/statistics.h"

namespace sits {
namespace {

constexpr double kGroupShare = 0.10;
constexpr std::size_t kGroupMinimum = 5;
constexpr double kRelativeDistance = 0.02;
constexpr double kTicksApart = 3;

/// How many times sparser than the groups a valley of `width` gaps must be. Chosen by simulation so that unimodal
/// samples, of which uniform ones come nearest, pass it about once in a thousand sets at worst (n = 50) and far less
/// elsewhere.
double required_depth(std::size_t width) { return 2.5 + 44 / static_cast<double>(width); }

/// Logarithms of the samples, those that fell on the same tick spread evenly over it, so that a coarse clock does not
/// look like a comb of modes.
std::vector<double> spread_logs(std::span<const double> sorted, double tick) {
  std::vector<double> logs;
  logs.reserve(sorted.size());
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first + 1;
    while (end < sorted.size() && sorted[end] - sorted[first] < tick / 2) ++end;
    const auto count = static_cast<double>(end - first);
    for (std::size_t i = first; i < end; ++i) {
      const double offset = ((static_cast<double>(i - first) + 0.5) / count - 0.5) * tick;
      logs.push_back(std::log(std::max(sorted[i] + offset, sorted[i] / 2)));
    }
    first = end;
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

/// The two groups that a valley over [left_end, right_begin] would separate are far enough apart to matter.
bool apart(std::span<const double> sorted, std::size_t left_end, std::size_t right_begin, double tick) {
  const double low = median_of_sorted(sorted.first(left_end + 1));
  const double high = median_of_sorted(sorted.subspan(right_begin));
  return high - low >= std::max(kRelativeDistance * low, kTicksApart * tick);
}

}  // namespace

bool is_multimodal(std::span<const double> sorted, double tick_ns) {
  const std::size_t n = sorted.size();
  const auto group = std::max(kGroupMinimum, static_cast<std::size_t>(std::ceil(kGroupShare * static_cast<double>(n))));
  // A valley may hold up to 2 % of the samples as strays; its density is taken over `width` gaps.
  const std::size_t width = 1 + n / 50;
  if (n < 2 * group + width - 1 || sorted.front() <= 0) return false;
  const std::vector<double> y = spread_logs(sorted, tick_ns);

  // shortest_left[i]: shortest stretch that `group` neighbours take among samples 0 … i; shortest_right[i]: among i …
  // n-1
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> shortest_left(n, kNone), shortest_right(n, kNone);
  for (std::size_t i = group - 1; i < n; ++i)
    shortest_left[i] = std::min(i == 0 ? kNone : shortest_left[i - 1], y[i] - y[i - group + 1]);
  for (std::size_t i = n - group + 1; i-- > 0;)
    shortest_right[i] = std::min(shortest_right[i + 1], y[i + group - 1] - y[i]);

  for (std::size_t left = group - 1; left + width + group <= n; ++left) {
    const std::size_t right = left + width;
    const double valley = (y[right] - y[left]) / static_cast<double>(width);
    const double sparser = std::max(shortest_left[left], shortest_right[right]) / static_cast<double>(group - 1);
    if (valley > required_depth(width) * sparser && apart(sorted, left, right, tick_ns)) return true;
  }
  return false;
}

}  // namespace sits

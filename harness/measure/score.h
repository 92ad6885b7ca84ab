// SPDX-License-Identifier: Apache-2.0
//
// What the normalized results of one device come to: geometric means and the overall score. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace sits {

struct GeoMean {
  double ratio = 0;
  std::uint32_t count = 0;
  bool operator==(const GeoMean &) const = default;
};

/// A result that entered no mean, and why.
struct LeftOut {
  std::string id, device, reason;
  bool operator==(const LeftOut &) const = default;
};

struct Overall {
  std::optional<double> ratio;  // absent with a reason when a required case is missing
  std::uint32_t count = 0;
  std::string reason;
  bool operator==(const Overall &) const = default;
};

/// Per device and baseline: geometric means by op and kind of baseline value, and the overall score.
struct Score {
  std::string device, baseline;
  std::map<std::string, std::map<std::string, GeoMean>> geomean;  // op -> kind -> mean
  Overall overall;
  bool operator==(const Score &) const = default;
};

}  // namespace sits

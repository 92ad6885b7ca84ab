// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/rates.h"

#include <algorithm>
#include <cmath>

namespace sits {
namespace {

constexpr double kLatencyBound = 0.05;

bool usable(double ns) { return std::isfinite(ns) && ns > 0; }

std::optional<double> per_second(double amount, double ns) {
  if (!(amount > 0) || !usable(ns)) return std::nullopt;
  return amount / ns * 1e9;
}

std::optional<double> share(std::optional<double> rate, std::optional<double> roof) {
  if (!rate || !roof || !usable(*roof)) return std::nullopt;
  return *rate / *roof;
}

std::string bound_of(const Utilization &u) {
  if (!u.compute && !u.bandwidth) return "";
  const double compute = u.compute.value_or(0), bandwidth = u.bandwidth.value_or(0);
  if (std::max(compute, bandwidth) < kLatencyBound) return "latency";
  return compute >= bandwidth ? "compute" : "bandwidth";
}

}  // namespace

Work work_of(const microbench::WorkModel &model) {
  return {.flops = model.flops > 0 ? std::optional(model.flops) : std::nullopt,
          .bytes_read = model.bytes_read,
          .bytes_written = model.bytes_written,
          .bytes_counted = model.bytes_counted,
          .bytes_convention = model.bytes_convention};
}

Rates rates_of(const microbench::WorkModel &model, double ns) {
  Rates rates;
  rates.flops_per_s = per_second(model.flops, ns);
  rates.bytes_per_s = per_second(model.bytes_counted, ns);
  if (model.bytes_convention == "read+write")
    rates.bytes_per_s_one_way = per_second(std::max(model.bytes_read, model.bytes_written), ns);
  else if (model.bytes_convention == "one-way")
    rates.bytes_per_s_one_way = rates.bytes_per_s;
  rates.busbw_bytes_per_s = per_second(model.bytes_counted * model.bus_factor, ns);
  return rates;
}

Utilization utilization_of(const microbench::WorkModel &model, double ns, const Roofs &roofs, bool bandwidth_applies) {
  const auto flops = per_second(model.flops, ns);
  const auto bytes = bandwidth_applies ? per_second(model.bytes_total(), ns) : std::nullopt;
  const auto against = [&](const std::optional<double> &ops, const std::optional<double> &bandwidth, const char *name) {
    Utilization u{share(flops, ops), share(bytes, bandwidth), "", name};
    u.bound = bound_of(u);
    return u;
  };
  const auto covers = [&](const Utilization &u) {
    return (!flops || u.compute) && (!bytes || u.bandwidth) && (u.compute || u.bandwidth);
  };
  const Utilization measured = against(roofs.measured_ops_per_s, roofs.measured_bytes_per_s, "measured");
  const Utilization datasheet = against(roofs.datasheet_ops_per_s, roofs.datasheet_bytes_per_s, "datasheet");
  if (covers(measured)) return measured;
  if (covers(datasheet)) return datasheet;
  if (measured.compute || measured.bandwidth) return measured;
  if (datasheet.compute || datasheet.bandwidth) return datasheet;
  return {};
}

}  // namespace sits

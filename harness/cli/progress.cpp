// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <iostream>

#include "harness/report/quantity.h"
#include "harness/report/text.h"

namespace sits::cli {
namespace {

double now_ns() { return static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count()); }

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string outcome(const CaseResult &row) {
  if (row.status == Status::ok && row.timing) {
    const Statistics &latency = row.timing->headline_statistics();
    std::string text = report::time_text(latency.median);
    if (latency.median_ci95)
      text += " ± " + report::percent_text((latency.median_ci95->high - latency.median_ci95->low) / 2 / latency.median);
    return text;
  }
  std::string text(status_name(row.status));
  if (row.reason) text += ": " + report::one_line(row.reason->message);
  return text;
}

}  // namespace

Progress::Progress(const worker::RunPlan &plan, bool quiet, std::size_t already_finished)
    : plan_(plan),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      finished_(already_finished),
      finished_before_(already_finished),
      started_ns_(now_ns()) {}

std::string Progress::label(const worker::PlanItem &item) const {
  return fmt::format("[{}/{}] {} {}", finished_ + 1, finished_before_ + plan_.items.size(),
                     plan_.devices[item.device].id, plan_.cases[item.test_case].id);
}

std::string Progress::eta() const {
  const std::size_t done = finished_ - finished_before_;
  if (done < 3) return "";
  const double per_case = (now_ns() - started_ns_) / static_cast<double>(done);
  const double left = per_case * static_cast<double>(plan_.items.size() - done);
  return fmt::format(", about {:.0f} s left", left / 1e9);
}

void Progress::show(const std::string &line) {
  if (!quiet_ && terminal_) std::cerr << "\r\x1b[K" << report::shorten(line, terminal_columns() - 1) << std::flush;
}

void Progress::print(const std::string &line) {
  if (quiet_) return;
  std::cerr << (terminal_ ? "\r\x1b[K" : "") << line << '\n';
}

void Progress::started(const worker::PlanItem &item) {
  const std::lock_guard lock(mutex_);
  show(label(item) + eta());
}

void Progress::progress(const worker::PlanItem &item, const worker::CaseProgress &now) {
  const std::lock_guard lock(mutex_);
  std::string line = label(item) + "  " + now.phase;
  if (now.samples > 0) line += fmt::format(" {} samples", now.samples);
  if (now.median_ns) line += ", median " + report::time_text(*now.median_ns);
  show(line + eta());
}

void Progress::finished(const worker::PlanItem &item, const CaseResult &row) {
  const std::lock_guard lock(mutex_);
  const std::string line = label(item) + "  " + outcome(row);
  ++finished_;
  if (!terminal_ || (row.status != Status::ok && row.status != Status::unsupported &&
                     row.status != Status::not_applicable && row.status != Status::skipped))
    print(line);
}

void Progress::log(const std::string &device, const std::string &line) {
  const std::lock_guard lock(mutex_);
  print(device + ": " + report::one_line(line));
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  if (!quiet_ && terminal_) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace sits::cli

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/samples_file.h"

#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace sits::report {
namespace {

constexpr std::string_view kMagic = "SITSSMP1";

template <class Integer>
void put(std::string &out, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    out += static_cast<char>(static_cast<unsigned char>(value & 0xFFU));
    value = static_cast<Integer>(value >> 8U);
  }
}

void put_text(std::string &out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

/// Takes little-endian values from the front of the bytes, never beyond their end.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  [[noreturn]] void fail(const std::string &what) const {
    throw SamplesError("samples file, offset " + std::to_string(at_) + ": " + what);
  }

  std::size_t left() const { return bytes_.size() - at_; }

  std::string_view take(std::size_t count) {
    if (count > left()) {
      fail("truncated: " + std::to_string(count) + " bytes expected, " + std::to_string(left()) + " left");
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  template <class Integer>
  Integer integer() {
    Integer value = 0;
    const std::string_view raw = take(sizeof(Integer));
    for (std::size_t i = sizeof(Integer); i-- > 0;) {
      value = static_cast<Integer>(value << 8U) | static_cast<unsigned char>(raw[i]);
    }
    return value;
  }

  std::string text() { return std::string(take(integer<std::uint32_t>())); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

SampleSeries take_series(Cursor &in) {
  SampleSeries series;
  series.device = in.text();
  series.case_id = in.text();
  series.run_index = in.integer<std::uint32_t>();
  const auto latency = in.integer<std::uint32_t>();
  if (latency > 1) in.fail("latency " + std::to_string(latency) + " is neither 0 (device) nor 1 (submit to complete)");
  series.latency = static_cast<Latency>(latency);
  const auto count = in.integer<std::uint64_t>();
  if (count > in.left() / sizeof(double)) {
    in.fail("truncated: " + std::to_string(count) + " samples expected, " + std::to_string(in.left()) + " bytes left");
  }
  series.values_ns.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    series.values_ns.push_back(std::bit_cast<double>(in.integer<std::uint64_t>()));
  }
  return series;
}

}  // namespace

std::string encode_samples(const std::vector<SampleSeries> &series) {
  std::string out(kMagic);
  put(out, kSamplesVersion);
  put(out, static_cast<std::uint64_t>(series.size()));
  for (const SampleSeries &s : series) {
    put_text(out, s.device);
    put_text(out, s.case_id);
    put(out, s.run_index);
    put(out, static_cast<std::uint32_t>(s.latency));
    put(out, static_cast<std::uint64_t>(s.values_ns.size()));
    for (const double value : s.values_ns) put(out, std::bit_cast<std::uint64_t>(value));
  }
  return out;
}

std::vector<SampleSeries> decode_samples(std::string_view bytes) {
  Cursor in(bytes);
  if (bytes.substr(0, kMagic.size()) != kMagic) in.fail("does not start with " + std::string(kMagic));
  in.take(kMagic.size());
  const auto version = in.integer<std::uint32_t>();
  if (version != kSamplesVersion) {
    in.fail("version " + std::to_string(version) + ", this program reads " + std::to_string(kSamplesVersion));
  }
  const auto count = in.integer<std::uint64_t>();
  std::vector<SampleSeries> out;
  // Nothing is reserved: a count is only believed as far as there are bytes behind it.
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(take_series(in));
  if (in.left() != 0) in.fail(std::to_string(in.left()) + " bytes after the last series");
  return out;
}

std::vector<SampleSeries> samples_of(const Report &report) {
  std::vector<SampleSeries> out;
  for (const CaseResult &row : report.results) {
    if (!row.device_samples_ns.empty()) {
      out.push_back({row.device, row.id, row.run_index, Latency::device, row.device_samples_ns});
    }
    if (!row.submit_samples_ns.empty()) {
      out.push_back({row.device, row.id, row.run_index, Latency::submit_to_complete, row.submit_samples_ns});
    }
  }
  return out;
}

void attach_samples(Report &report, std::vector<SampleSeries> series) {
  std::map<std::tuple<std::string, std::string, std::uint32_t>, CaseResult *> rows;
  for (CaseResult &row : report.results) rows[{row.device, row.id, row.run_index}] = &row;
  for (SampleSeries &s : series) {
    const auto row = rows.find({s.device, s.case_id, s.run_index});
    const std::string name = s.case_id + " on " + s.device + ", run " + std::to_string(s.run_index);
    if (row == rows.end()) throw SamplesError("samples of " + name + ", which the report does not have");
    std::vector<double> &target =
        s.latency == Latency::device ? row->second->device_samples_ns : row->second->submit_samples_ns;
    if (!target.empty()) throw SamplesError("samples of " + name + " stand twice");
    target = std::move(s.values_ns);
  }
}

}  // namespace sits::report

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/anonymize.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "microbench/suite.h"

namespace sits::report {
namespace {

bool word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool identifies(const std::string &property) {
  std::string key = property;
  std::transform(key.begin(), key.end(), key.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto has = [&](std::string_view part) { return key.find(part) != std::string::npos; };
  return has("serial") || has("uuid") || has("guid") || has("hostname") || has("mac_addr") || has("pci_addr") ||
         has("pci_bus") || key == "pci";
}

// Shorter values ("0", "gpu") are words of their own in free text; there they identify nobody.
constexpr std::size_t kMinWithin = 4;

/// The values that must not leave, and what stands for each.
class Pseudonyms {
 public:
  explicit Pseudonyms(std::string_view salt) : salt_(salt) {}

  void add(const std::string &value) {
    if (value.empty()) return;
    const std::string hash = microbench::sha256(salt_ + '\0' + value).substr(0, 12);
    if (names_.emplace(value, "anon-" + hash).second && value.size() >= kMinWithin) {
      order_.push_back(value);
      // Longest first, so that a name inside a longer one is not replaced before it.
      std::stable_sort(order_.begin(), order_.end(), [](const auto &a, const auto &b) { return a.size() > b.size(); });
    }
  }

  void add_host(const std::string &hostname) {
    add(hostname);
    add(hostname.substr(0, hostname.find('.')));
  }

  /// The whole of `value`, if it is one of the values.
  void replace(std::string &value) const {
    if (const auto found = names_.find(value); found != names_.end()) value = found->second;
  }

  /// Every whole-word occurrence. Scanned left to right, what was put in is not looked at again.
  void replace_within(std::string &text) const {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::string *match = match_at(text, at);
      if (match == nullptr) {
        out += text[at++];
      } else {
        out += names_.at(*match);
        at += match->size();
      }
    }
    text = std::move(out);
  }

 private:
  const std::string *match_at(const std::string &text, std::size_t at) const {
    if (at > 0 && word_character(text[at - 1]) && word_character(text[at])) return nullptr;
    for (const std::string &value : order_) {
      if (text.compare(at, value.size(), value) != 0) continue;
      const std::size_t end = at + value.size();
      if (end == text.size() || !word_character(text[end]) || !word_character(text[end - 1])) return &value;
    }
    return nullptr;
  }

  std::string salt_;
  std::map<std::string, std::string> names_;
  std::vector<std::string> order_;
};

void collect(const Report &report, Pseudonyms &names) {
  names.add_host(report.host.hostname);
  for (const auto &[device, host] : report.device_hosts) names.add_host(host.hostname);
  for (const DeviceInfo &device : report.devices) {
    names.add(device.uuid);
    names.add(device.pci);
    for (const auto &[key, value] : device.properties) {
      if (identifies(key)) names.add(value);
    }
  }
}

void clean(HostInfo &host, const Pseudonyms &names) {
  names.replace(host.hostname);
  for (auto &[key, value] : host.env) names.replace_within(value);
}

/// Of "host/cpu:0" or "host#2/cpu:0" the host: a device's own id is a word like "cpu:0", which no machine's name may
/// change.
void clean_device_id(std::string &id, const Pseudonyms &names) {
  const auto slash = id.rfind('/');
  if (slash == std::string::npos) return;
  const auto end = std::min(id.find('#'), slash);
  std::string host = id.substr(0, end);
  names.replace(host);
  id = host + id.substr(end);
}

void clean(DeviceInfo &device, const Pseudonyms &names) {
  clean_device_id(device.id, names);
  names.replace(device.uuid);
  names.replace(device.pci);
  names.replace_within(device.partition);
  for (auto &[key, value] : device.properties) {
    if (identifies(key)) names.replace(value);
    names.replace_within(value);
  }
}

void clean(CaseResult &row, const Pseudonyms &names) {
  clean_device_id(row.device, names);
  if (row.reason) names.replace_within(row.reason->message);
  if (row.verification) names.replace_within(row.verification->first_mismatch);
  for (Alternative &alternative : row.alternatives) names.replace_within(alternative.reason);
  for (Normalized &normalized : row.normalized) names.replace_within(normalized.reason);
  names.replace_within(row.note);
  names.replace_within(row.reproduce);
}

template <class Value>
std::map<std::string, Value> rekeyed(std::map<std::string, Value> map, const Pseudonyms &names) {
  std::map<std::string, Value> out;
  for (auto &[device, value] : map) {
    std::string id = device;
    clean_device_id(id, names);
    out.emplace(std::move(id), std::move(value));
  }
  return out;
}

}  // namespace

std::string random_salt() {
  std::random_device source;
  std::string salt;
  for (int i = 0; i < 32; ++i) salt += static_cast<char>(source() & 0xFFU);
  return salt;
}

void anonymize(Report &report, std::string_view salt) {
  Pseudonyms names(salt);
  collect(report, names);
  clean(report.host, names);
  for (auto &[device, host] : report.device_hosts) clean(host, names);
  report.device_hosts = rekeyed(std::move(report.device_hosts), names);
  report.device_runs = rekeyed(std::move(report.device_runs), names);
  for (std::string &word : report.run.command) names.replace_within(word);
  for (DeviceInfo &device : report.devices) clean(device, names);
  for (CaseResult &row : report.results) clean(row, names);
  for (Score &score : report.summary.scores) {
    clean_device_id(score.device, names);
    names.replace_within(score.overall.reason);
  }
  for (LeftOut &left : report.summary.left_out) {
    clean_device_id(left.device, names);
    names.replace_within(left.reason);
  }
}

}  // namespace sits::report

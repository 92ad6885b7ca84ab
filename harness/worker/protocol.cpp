// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/protocol.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>

using nlohmann::json;
using nlohmann::ordered_json;

namespace sits {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Policy, min_samples, max_samples, ci_relative, budget_ns, warmup_min, warmup_max,
                                   warmup_agreement, soak_ns, exact_iterations, min_gate_ns, max_rejected)
}  // namespace sits

namespace sits::plugin {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Info, name, vendor, version, libraries, environment)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PeakRate, type, unit, ops_per_clock_unit, ops_per_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Device, index, flags, name, vendor, arch, uuid, pci, partition, driver, memory_bytes,
                                   llc_bytes, numa_node, compute_units, clock_max_mhz, power_cap_w,
                                   bandwidth_bytes_per_s, link_gen, link_width, link_max_gen, link_max_width,
                                   rank_slots, peaks, libraries, properties)
}  // namespace sits::plugin

namespace sits::worker {
namespace {

template <typename T>
json nullable(const std::optional<T> &value) {
  return value ? json(*value) : json(nullptr);
}
template <typename T>
std::optional<T> optional_at(const json &object, const char *key) {
  const json &value = object.at(key);
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

json samples_to_json(const std::vector<double> &samples) {
  return json(samples);  // a NaN is written as null
}
std::vector<double> samples_from_json(const json &array) {
  std::vector<double> out;
  out.reserve(array.size());
  for (const json &value : array)
    out.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  return out;
}

// One `fields` and one `read` per message; names are in kNames in the order of Message.
void fields(json &o, const Hello &m) { o["protocol"] = m.protocol; }
void fields(json &, const Describe &) {}
void fields(json &o, const Description &m) { o["info"] = m.info; }
void fields(json &o, const ListDevices &m) { o["options"] = m.options; }
void fields(json &o, const DeviceList &m) { o["devices"] = m.devices; }
void fields(json &o, const RunCase &m) {
  o.update({{"case", m.case_id},
            {"device_id", m.device_id},
            {"device", m.device},
            {"run_index", m.run_index},
            {"order_index", m.order_index},
            {"required", m.required},
            {"env_override", m.env_override},
            {"seed", m.seed},
            {"provider", nullable(m.provider)},
            {"reproduce", m.reproduce},
            {"policy", m.policy}});
}
void fields(json &o, const Progress &m) {
  o.update({{"phase", m.phase},
            {"samples", m.samples},
            {"median_ns", nullable(m.median_ns)},
            {"expected_ns", m.expected_ns}});
}
void fields(json &o, const Log &m) { o.update({{"level", m.level}, {"text", m.text}}); }
void fields(json &o, const Result &m) { o["finished"] = finished_to_json(m.finished); }
void fields(json &, const Cancel &) {}
void fields(json &, const Bye &) {}
void fields(json &o, const Error &m) {
  o.update({{"code", m.code}, {"message", m.message}, {"api", m.api}, {"vendor_code", m.vendor_code}});
}

void read(const json &o, Hello &m) { o.at("protocol").get_to(m.protocol); }
void read(const json &, Describe &) {}
void read(const json &o, Description &m) { o.at("info").get_to(m.info); }
void read(const json &o, ListDevices &m) { o.at("options").get_to(m.options); }
void read(const json &o, DeviceList &m) { o.at("devices").get_to(m.devices); }
void read(const json &o, RunCase &m) {
  o.at("case").get_to(m.case_id);
  o.at("device_id").get_to(m.device_id);
  o.at("device").get_to(m.device);
  o.at("run_index").get_to(m.run_index);
  o.at("order_index").get_to(m.order_index);
  o.at("required").get_to(m.required);
  o.at("env_override").get_to(m.env_override);
  o.at("seed").get_to(m.seed);
  m.provider = optional_at<std::string>(o, "provider");
  o.at("reproduce").get_to(m.reproduce);
  o.at("policy").get_to(m.policy);
}
void read(const json &o, Progress &m) {
  o.at("phase").get_to(m.phase);
  o.at("samples").get_to(m.samples);
  m.median_ns = optional_at<double>(o, "median_ns");
  o.at("expected_ns").get_to(m.expected_ns);
}
void read(const json &o, Log &m) {
  o.at("level").get_to(m.level);
  o.at("text").get_to(m.text);
}
void read(const json &o, Result &m) { m.finished = finished_from_json(o.at("finished")); }
void read(const json &, Cancel &) {}
void read(const json &, Bye &) {}
void read(const json &o, Error &m) {
  o.at("code").get_to(m.code);
  o.at("message").get_to(m.message);
  o.at("api").get_to(m.api);
  o.at("vendor_code").get_to(m.vendor_code);
}

constexpr std::array<std::string_view, std::variant_size_v<Message>> kNames = {
    "hello",    "describe", "description", "list_devices", "devices", "run_case",
    "progress", "log",      "result",      "cancel",       "bye",     "error"};

template <std::size_t Index = 0>
Message read_named(std::string_view name, const json &object) {
  if constexpr (Index == kNames.size()) {
    throw ProtocolError(fmt::format("unknown message type '{}'", name));
  } else {
    if (name != kNames[Index]) return read_named<Index + 1>(name, object);
    std::variant_alternative_t<Index, Message> message;
    read(object, message);
    return message;
  }
}

}  // namespace

ordered_json finished_to_json(const FinishedCase &finished) {
  ordered_json object;
  object["row"] = to_json(finished.row);
  object["device_samples_ns"] = samples_to_json(finished.row.device_samples_ns);
  object["submit_samples_ns"] = samples_to_json(finished.row.submit_samples_ns);
  object["measured_peaks"] = finished.measured_peaks;
  return object;
}

FinishedCase finished_from_json(const json &object) {
  FinishedCase finished;
  finished.row = result_from_json(object.at("row"));
  finished.row.device_samples_ns = samples_from_json(object.at("device_samples_ns"));
  finished.row.submit_samples_ns = samples_from_json(object.at("submit_samples_ns"));
  object.at("measured_peaks").get_to(finished.measured_peaks);
  return finished;
}

std::string encode(const Message &message) {
  json object;
  object["type"] = kNames[message.index()];
  std::visit([&](const auto &m) { fields(object, m); }, message);
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

Message decode(std::string_view line) {
  try {
    const json object = json::parse(line);
    return read_named(object.at("type").get_ref<const std::string &>(), object);
  } catch (const json::exception &error) {
    throw ProtocolError(fmt::format("malformed message: {}", error.what()));
  } catch (const std::invalid_argument &error) {
    throw ProtocolError(fmt::format("malformed message: {}", error.what()));
  }
}

std::optional<std::string> LineBuffer::next() {
  const std::size_t end = buffer_.find('\n', std::max(begin_, scanned_));
  const std::size_t length = (end == std::string::npos ? buffer_.size() : end) - begin_;
  if (length > limit_) throw ProtocolError(fmt::format("a line of more than {} bytes", limit_));
  if (end == std::string::npos) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    scanned_ = buffer_.size();
    return std::nullopt;
  }
  std::string line = buffer_.substr(begin_, length);
  begin_ = scanned_ = end + 1;
  return line;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace sits::worker

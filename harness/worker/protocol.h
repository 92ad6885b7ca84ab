// SPDX-License-Identifier: Apache-2.0
//
// What supervisor and worker say to each other: one JSON object per line over a socket, each with a "type". Both ends
// are the same program, so parsing is strict: anything unexpected is a ProtocolError, not a guess.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/measure/policy.h"
#include "harness/plugin/backend.h"
#include "harness/worker/supervisor.h"

namespace sits::worker {

inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::size_t kMaxLine = 16u << 20;  // a row with its raw samples

struct ProtocolError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// To the supervisor, once, unasked: the worker is up.
struct Hello {
  std::uint32_t protocol = kProtocolVersion;
};
// To the worker; the answer is Description or Error.
struct Describe {};
struct Description {
  plugin::Info info;
};
// To the worker: open the session with these options, list its devices. The answer is DeviceList or Error.
struct ListDevices {
  plugin::KeyValues options;
};
struct DeviceList {
  std::vector<plugin::Device> devices;
};
// To the worker, after ListDevices. Progress and Log come while it runs; the answer is Result.
struct RunCase {
  std::string case_id, device_id;
  std::uint32_t device = 0, run_index = 0, order_index = 0;
  bool required = false, env_override = false;
  std::uint64_t seed = 1;
  std::optional<std::string> provider;
  std::string reproduce;
  Policy policy;
};
struct Progress {
  std::string phase;
  std::uint64_t samples = 0;
  std::optional<double> median_ns;
  double expected_ns = 0;  // how long the step that begins now is predicted to take, 0 unknown
};
struct Log {
  std::int32_t level = 0;
  std::string text;
};
struct Result {
  FinishedCase finished;
};
// To the worker, any time: end the case in flight as interrupted.
struct Cancel {};
// To the worker: close the session and end. Not answered.
struct Bye {};
struct Error {
  std::string code;  // "unavailable", "not_a_plugin", "out_of_memory" …
  std::string message, api;
  std::int32_t vendor_code = 0;
};

using Message = std::variant<Hello, Describe, Description, ListDevices, DeviceList, RunCase, Progress, Log, Result,
                             Cancel, Bye, Error>;

/// One line, newline included.
std::string encode(const Message &message);
/// The line without its newline. Throws ProtocolError.
Message decode(std::string_view line);

/// A row with its raw samples and probe rates, as messages and the journal carry it. from_ throws what JSON access
/// throws and std::invalid_argument.
nlohmann::ordered_json finished_to_json(const FinishedCase &finished);
FinishedCase finished_from_json(const nlohmann::json &object);

/// Splits a byte stream into lines.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t limit = kMaxLine) : limit_(limit) {}
  void feed(std::string_view bytes) { buffer_ += bytes; }
  /// The next whole line, or nothing yet. Throws ProtocolError when a line exceeds the limit.
  std::optional<std::string> next();
  /// Bytes after the last whole line.
  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }

 private:
  std::size_t limit_;
  std::string buffer_;
  std::size_t begin_ = 0, scanned_ = 0;
};

/// Writes all of `bytes` to a blocking socket; false when the peer is gone.
bool send_all(int socket, std::string_view bytes);

}  // namespace sits::worker

// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/backend.h"

#include <chrono>
#include <limits>

#include "harness/plugin/foreign.h"
#include "sits/dtype.h"

namespace sits::plugin {
namespace {

std::uint64_t now_ns(void *) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// The host's calls are entered from vendor threads: nothing may leave them.
void forward_log(void *ctx, std::int32_t level, const char *text) {
  const auto &calls = *static_cast<const HostCalls *>(ctx);
  try {
    if (calls.log) calls.log(level, text_of(text));
  } catch (...) {
    return;  // a log line that cannot be written is not worth a run
  }
}

std::int32_t forward_cancel(void *ctx) {
  const auto &calls = *static_cast<const HostCalls *>(ctx);
  try {
    return calls.should_cancel && calls.should_cancel() ? 1 : 0;
  } catch (...) {
    return 1;
  }
}

std::vector<std::string> split_providers(const char *list) {
  std::vector<std::string> out;
  const std::string text = text_of(list);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view name = std::string_view(text).substr(begin, end - begin);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) out.emplace_back(name);
    begin = end + 1;
  }
  return out;
}

Device device_of(const sits_device &raw, std::uint32_t index) {
  Device device;
  device.index = index;
  device.flags = raw.flags;
  device.name = text_of(raw.name);
  device.vendor = text_of(raw.vendor);
  device.arch = text_of(raw.arch);
  device.uuid = text_of(raw.uuid);
  device.pci = text_of(raw.pci);
  device.partition = text_of(raw.partition);
  device.driver = text_of(raw.driver);
  device.memory_bytes = raw.memory_bytes;
  device.llc_bytes = raw.llc_bytes;
  device.numa_node = raw.numa_node;
  device.compute_units = raw.compute_units;
  device.clock_max_mhz = raw.clock_max_mhz;
  device.power_cap_w = raw.power_cap_w;
  device.bandwidth_bytes_per_s = raw.bandwidth_bytes_per_s;
  device.link_gen = raw.link_gen;
  device.link_width = raw.link_width;
  device.link_max_gen = raw.link_max_gen;
  device.link_max_width = raw.link_max_width;
  device.rank_slots = raw.rank_slots;
  for (const sits_peak_rate &peak : copied(raw.peaks, raw.peak_count, "peak rates"))
    device.peaks.push_back({peak.type, peak.unit, peak.ops_per_clock_unit, peak.ops_per_s});
  device.libraries = key_values(raw.libraries, raw.library_count, "libraries");
  device.properties = key_values(raw.properties, raw.property_count, "properties");
  return device;
}

/// The two-call idiom: `fill(out, capacity, &count)`.
template <typename T, typename Fill>
std::vector<T> enumerate(const char *what, Fill &&fill) {
  std::uint32_t count = 0;
  fill(static_cast<T *>(nullptr), 0u, &count);
  if (count > kMaxElements)
    throw_broken(fmt::format("the plugin reports {} {}, at most {} make sense", count, what, kMaxElements));
  if (count == 0) return {};
  std::vector<T> out(count, stamped<T>());
  std::uint32_t filled = count;
  fill(out.data(), count, &filled);
  out.resize(std::min(filled, count));  // fewer by now: a device went away between the calls
  return out;
}

}  // namespace

void check(sits_status status, sits_error &error, const char *call) {
  if (status == SITS_OK) return;
  error.message[sizeof error.message - 1] = '\0';
  error.api[sizeof error.api - 1] = '\0';
  std::string message = text_of(error.message);
  const bool known = status > SITS_OK && status <= SITS_INTERNAL;
  if (message.empty()) message = fmt::format("{} failed with status {} and no message", call, status);
  if (!known) message += fmt::format(" (unknown status {})", status);
  throw BackendError(known ? status : SITS_INTERNAL, message, text_of(error.api), error.vendor_code);
}

Info describe(const sits_backend *table) {
  auto raw = stamped<sits_info>();
  invoke("describe", table->describe, &raw);
  Info info{text_of(raw.name), text_of(raw.vendor), text_of(raw.version),
            key_values(raw.libraries, raw.library_count, "libraries"),
            key_values(raw.environment, raw.environment_count, "environment variables")};
  const auto valid = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (info.name.empty() || info.name.size() > 64 || !std::all_of(info.name.begin(), info.name.end(), valid))
    throw_broken(fmt::format("the plugin calls itself '{}'; a name is lower-case letters, digits and _", info.name));
  return info;
}

// ------------------------------------------------------------------------------------------------------ session ---

struct Session::State {
  const sits_backend *table = nullptr;
  HostCalls calls;
  sits_host host{};
  sits_session *session = nullptr;

  State(const sits_backend *backend, HostCalls host_calls) : table(backend), calls(std::move(host_calls)) {
    host = stamped<sits_host>();
    host.abi_major = SITS_ABI_MAJOR;
    host.abi_minor = SITS_ABI_MINOR;
    host.ctx = &calls;
    host.log = forward_log;
    host.should_cancel = forward_cancel;
    host.now_ns = now_ns;
  }
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() {
    if (session != nullptr) table->close(session);
  }
};

Session::Session(const sits_backend *table, HostCalls calls, const KeyValues &options)
    : state_(std::make_unique<State>(table, std::move(calls))) {
  std::vector<sits_key_value> items;
  for (const auto &[key, value] : options) {
    auto item = stamped<sits_key_value>();
    item.key = key.c_str();
    item.value = value.c_str();
    items.push_back(item);
  }
  auto request = stamped<sits_options>();
  request.count = static_cast<std::uint32_t>(items.size());
  request.items = items.data();
  invoke("open", table->open, static_cast<const sits_host *>(&state_->host),
         static_cast<const sits_options *>(&request), &state_->session);
  if (state_->session == nullptr) throw_broken("open returned SITS_OK without a session");
}

Session::~Session() = default;
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;

std::vector<Device> Session::devices() {
  const auto raw =
      enumerate<sits_device>("devices", [&](sits_device *out, std::uint32_t capacity, std::uint32_t *count) {
        for (std::uint32_t i = 0; i < capacity; ++i) out[i].numa_node = -1;
        invoke("devices", state_->table->devices, state_->session, out, capacity, count);
      });
  std::vector<Device> out;
  for (const sits_device &device : raw) out.push_back(device_of(device, static_cast<std::uint32_t>(out.size())));
  return out;
}

Support Session::query(std::uint32_t device, const microbench::AbiCase &test_case) {
  auto raw = stamped<sits_support>();
  Support support;
  try {
    invoke("query", state_->table->query, state_->session, device, &test_case.view(), &raw);
  } catch (const BackendError &error) {
    if (error.status != SITS_UNSUPPORTED) throw;
    support.reason = error.what();
    return support;
  }
  support.supported = true;
  support.type_a = raw.type_a;
  support.type_b = raw.type_b;
  support.type_acc = raw.type_acc;
  support.copy_bytes = raw.copy_bytes;
  support.fixed_bytes = raw.fixed_bytes;
  support.host_bytes = raw.host_bytes;
  support.predicted_ns = raw.predicted_ns > 0 ? raw.predicted_ns : 0;
  support.peak_flops = raw.peak_flops > 0 ? raw.peak_flops : 0;
  support.providers = split_providers(raw.providers);
  support.note = text_of(raw.note);
  return support;
}

std::optional<sits_telemetry> Session::telemetry(std::uint32_t device) const {
  const sits_backend &table = *state_->table;
  if (!present(table, offsetof(sits_backend, telemetry), &sits_backend::telemetry)) return std::nullopt;
  auto out = stamped<sits_telemetry>();
  auto error = stamped<sits_error>();
  if (table.telemetry(state_->session, device, &out, &error) != SITS_OK) return std::nullopt;
  return out;
}

// ----------------------------------------------------------------------------------------------------- workload ---

struct Workload::State {
  const sits_backend *table = nullptr;
  sits_workload *workload = nullptr;
  std::vector<microbench::TensorInfo> tensors;
  std::uint32_t copies = 1;

  explicit State(const sits_backend *backend) : table(backend) {}
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() {
    if (workload != nullptr) table->release(workload);
  }
};

Workload::Workload(std::unique_ptr<State> state) : state_(std::move(state)) {}
Workload::~Workload() = default;
Workload::Workload(Workload &&) noexcept = default;
Workload &Workload::operator=(Workload &&) noexcept = default;

Workload Session::prepare(std::span<const std::uint32_t> devices, const microbench::AbiCase &test_case,
                          std::uint64_t rotation_bytes, std::uint32_t max_copies) {
  auto request = stamped<sits_prepare>();
  request.device_count = static_cast<std::uint32_t>(devices.size());
  request.devices = devices.data();
  request.test_case = &test_case.view();
  request.rotation_bytes = rotation_bytes;
  request.max_copies = max_copies;
  auto workload = std::make_unique<Workload::State>(state_->table);
  invoke("prepare", state_->table->prepare, state_->session, static_cast<const sits_prepare *>(&request),
         &workload->workload);
  if (workload->workload == nullptr) throw_broken("prepare returned SITS_OK without a workload");
  const auto raw =
      enumerate<sits_tensor>("tensors", [&](sits_tensor *out, std::uint32_t capacity, std::uint32_t *count) {
        invoke("tensors", state_->table->tensors, workload->workload, out, capacity, count);
      });
  for (const sits_tensor &tensor : raw) {
    const std::uint32_t copies = std::max(tensor.copies, 1u);
    workload->tensors.push_back(
        {text_of(tensor.name), tensor.role, tensor.type, tensor.fill, tensor.count, tensor.stream, copies});
    workload->copies = std::max(workload->copies, copies);
  }
  return Workload(std::move(workload));
}

const std::vector<microbench::TensorInfo> &Workload::tensors() const { return state_->tensors; }

std::vector<std::byte> Workload::read(std::size_t tensor, std::uint32_t copy, std::uint64_t first,
                                      std::uint64_t count) const {
  if (tensor >= state_->tensors.size()) throw_broken(fmt::format("there is no tensor {} to read", tensor));
  const microbench::TensorInfo &info = state_->tensors[tensor];
  if (copy >= info.copies || first > info.count || count > info.count - first)
    throw_broken(fmt::format("elements {}+{} of copy {} lie outside tensor {}", first, count, copy, info.name));
  std::vector<std::byte> out(bytes_of(info.type, count));
  invoke("read", state_->table->read, state_->workload, static_cast<std::uint32_t>(tensor), copy, first, count,
         static_cast<void *>(out.data()));
  return out;
}

Samples Workload::run(std::uint32_t samples, std::uint32_t batch, std::uint32_t flags, std::uint64_t timeout_ns) {
  auto request = stamped<sits_run>();
  request.flags = flags;
  request.samples = samples;
  request.batch = batch;
  request.timeout_ns = timeout_ns;
  Samples out;
  constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();  // a sample that was not written is no sample
  out.device_ns.assign(samples, kUnset);
  out.submit_to_complete_ns.assign(samples, kUnset);
  auto raw = stamped<sits_samples>();
  raw.capacity = samples;
  raw.device_ns = out.device_ns.data();
  raw.submit_to_complete_ns = out.submit_to_complete_ns.data();
  invoke("run", state_->table->run, state_->workload, static_cast<const sits_run *>(&request), &raw);

  if (raw.count == 0 || raw.count > samples)
    throw_broken(fmt::format("run was asked for {} samples and reports {}", samples, raw.count));
  if (raw.batch == 0) throw_broken("run reports samples of 0 iterations");
  if (raw.current_copy >= state_->copies)
    throw_broken(fmt::format("run reports copy {} of {}", raw.current_copy, state_->copies));
  out.device_ns.resize(raw.count);
  out.submit_to_complete_ns.resize(raw.count);
  out.batch = raw.batch;
  out.current_copy = raw.current_copy;
  out.clock = raw.clock;
  out.threads = raw.threads;
  out.resolution_ns = raw.resolution_ns;
  out.floor_ns = raw.floor_ns;
  out.cpu_ns = raw.cpu_ns;
  out.wall_ns = raw.wall_ns;
  out.minor_faults = raw.minor_faults;
  out.involuntary_switches = raw.involuntary_switches;
  out.steps_total = raw.steps_total;
  out.gates_valid = raw.gates_valid != 0;
  out.provider = text_of(raw.provider);
  out.alternatives = text_of(raw.alternatives);
  out.weights = text_of(raw.weights);
  return out;
}

double ops_per_s(const PeakRate &peak, const Device &device) {
  if (peak.ops_per_s > 0) return peak.ops_per_s;
  return peak.ops_per_clock_unit * device.compute_units * device.clock_max_mhz * 1e6;
}

}  // namespace sits::plugin

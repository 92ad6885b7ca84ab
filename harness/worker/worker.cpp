// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/worker.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "harness/plugin/loader.h"
#include "harness/worker/case_runner.h"
#include "harness/worker/inbox.h"
#include "harness/worker/status_code.h"

namespace sits::worker {
namespace {

constexpr int kBadUsage = 2;

struct Arguments {
  int fd = -1;
  std::string plugin;
};

std::optional<Arguments> parse(const std::vector<std::string> &arguments) {
  Arguments out;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string &value = arguments[i + 1];
    if (arguments[i] == "--plugin") {
      out.plugin = value;
    } else if (arguments[i] == "--fd") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out.fd);
      if (error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  if (arguments.size() != 4 || out.fd < 0 || out.plugin.empty()) return std::nullopt;
  return out;
}

/// Serves requests in order on the thread that owns the session.
class Worker {
 public:
  explicit Worker(const Arguments &arguments) : plugin_(arguments.plugin), fd_(arguments.fd), inbox_(arguments.fd) {}

  void serve() {
    send(Hello{});
    for (;;) {
      const Message request = inbox_.take();
      if (std::holds_alternative<Bye>(request)) return;
      try {
        answer(request);
      } catch (const plugin::LoadError &error) {
        send(Error{"not_a_plugin", error.what(), {}, 0});
      } catch (const plugin::BackendError &error) {
        send(Error{std::string(code_of(error.status)), error.what(), error.api, error.vendor_code});
      } catch (const std::exception &error) {
        send(Error{"internal", error.what(), {}, 0});
      }
    }
  }

 private:
  struct OpenDevice {
    plugin::Device facts;
    std::unique_ptr<Probes> probes;
  };

  void answer(const Message &request) {
    if (std::holds_alternative<Describe>(request)) {
      send(Description{plugin::describe(table())});
    } else if (const auto *list = std::get_if<ListDevices>(&request)) {
      send(DeviceList{open(list->options)});
    } else if (const auto *run = std::get_if<RunCase>(&request)) {
      send_result(run_one(*run));
    } else {
      throw ProtocolError("a message that only a worker sends came to a worker");
    }
  }

  const sits_backend *table() {
    if (table_ == nullptr) table_ = plugin::load(plugin_);
    return table_;
  }

  std::vector<plugin::Device> open(const plugin::KeyValues &options) {
    if (!session_) {
      plugin::HostCalls calls;
      calls.log = [this](int level, std::string_view text) { send(Log{level, std::string(text)}); };
      calls.should_cancel = [this] { return inbox_.cancelled(); };
      session_ = std::make_unique<plugin::Session>(table(), std::move(calls), options);
    }
    std::vector<plugin::Device> devices = session_->devices();
    for (const plugin::Device &device : devices) {
      OpenDevice &open = devices_[device.index];
      open.facts = device;
      if (!open.probes) open.probes = std::make_unique<Probes>(*session_, device);
    }
    return devices;
  }

  FinishedCase run_one(const RunCase &request) {
    const auto device = devices_.find(request.device);
    if (device == devices_.end())
      throw std::runtime_error(fmt::format("there is no device {} in this session", request.device));
    const CaseContext context{session_.get(), device->second.facts, device->second.probes.get(),
                              [this] { return inbox_.cancelled(); }, [this](const Progress &p) { send(p); }};
    return run_case(request, context);
  }

  void send_result(FinishedCase finished) {
    try {
      send(Result{finished});
    } catch (const std::invalid_argument &error) {  // a number that is none: it must not leave
      FinishedCase bare;
      bare.row.id = finished.row.id;
      bare.row.device = finished.row.device;
      bare.row.run_index = finished.row.run_index;
      bare.row.order_index = finished.row.order_index;
      bare.row.required = finished.row.required;
      bare.row.simulated = finished.row.simulated;
      bare.row.status = Status::implausible;
      bare.row.reason = Reason{"non_finite", error.what()};
      send(Result{bare});
    }
  }

  void send(const Message &message) {
    const std::string line = encode(message);
    const std::lock_guard lock(send_mutex_);  // log lines come from vendor threads
    send_all(fd_, line);
  }

  std::string plugin_;
  int fd_;
  std::mutex send_mutex_;
  Inbox inbox_;
  const sits_backend *table_ = nullptr;
  std::unique_ptr<plugin::Session> session_;
  std::map<std::uint32_t, OpenDevice> devices_;  // after session_: probes go first
};

}  // namespace

int worker_main(const std::vector<std::string> &arguments) {
  const std::optional<Arguments> parsed = parse(arguments);
  if (!parsed) {
    std::fputs("sits worker is started by sits itself: --fd N --plugin FILE\n", stderr);
    return kBadUsage;
  }
  ::signal(SIGINT, SIG_IGN);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that what a driver printed before a crash is not lost
  {
    Worker worker(*parsed);
    worker.serve();
  }
  std::fflush(nullptr);
  // everything is delivered and closed: no destructor of a vendor library may turn that into a crash
  std::_Exit(0);
}

}  // namespace sits::worker

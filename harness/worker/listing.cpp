// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <system_error>

#include "harness/worker/process.h"
#include "harness/worker/supervisor.h"

namespace sits::worker {
namespace {

/// One candidate and the worker that asks it.
struct Inquiry {
  BackendListing listing;
  std::unique_ptr<WorkerProcess> worker;
  double deadline_ns = 0;
};

class Lister {
 public:
  Lister(const std::map<std::string, plugin::KeyValues> &options, const WorkerCommand &command)
      : options_(options), command_(command) {}

  void start(Inquiry &inquiry, const plugin::KeyValues &environment) const {
    try {
      WorkerProcess::Setup setup;
      setup.executable = command_.executable;
      setup.plugin_path = inquiry.listing.candidate.path;
      setup.environment = environment;
      inquiry.worker = std::make_unique<WorkerProcess>(std::move(setup));
      inquiry.deadline_ns = steady_now_ns() + command_.start_timeout_ns;
    } catch (const std::system_error &error) {
      inquiry.listing.reason = error.what();
    }
  }

  /// Sends Describe and takes what the plugin says of itself.
  void describe(Inquiry &inquiry) const {
    inquiry.worker->send(Describe{});
    if (const auto description = answer<Description>(inquiry)) {
      inquiry.listing.info = description->info;
      inquiry.listing.loaded = true;
    }
  }

  /// Sends ListDevices: to the describing worker, or to a new one when the plugin needs an environment.
  void ask_devices(Inquiry &inquiry) const {
    const plugin::Info &info = inquiry.listing.info;
    bool complete = true;
    for (const auto &[key, value] : info.environment) complete = complete && std::getenv(key.c_str()) != nullptr;
    if (!complete) {
      finish(inquiry);
      start(inquiry, info.environment);
      if (!inquiry.worker) return;
    }
    const auto options = options_.find(info.name);
    inquiry.worker->send(ListDevices{options == options_.end() ? plugin::KeyValues{} : options->second});
  }

  void take_devices(Inquiry &inquiry) const {
    const auto list = answer<DeviceList>(inquiry);
    if (!list) return;
    inquiry.listing.devices = list->devices;
    inquiry.listing.available = true;
  }

  static void finish(Inquiry &inquiry) {
    constexpr double kPatienceNs = 2e9;
    if (!inquiry.worker) return;
    inquiry.worker->send(Bye{});
    inquiry.worker->reap(kPatienceNs);
    inquiry.worker.reset();
  }

 private:
  /// The awaited message; nothing, and the reason in the listing, when something else came.
  template <typename Wanted>
  std::optional<Wanted> answer(Inquiry &inquiry) const {
    std::string &reason = inquiry.listing.reason;
    try {
      for (;;) {
        WorkerEvent event = inquiry.worker->wait(inquiry.deadline_ns);
        if (std::holds_alternative<TimedOut>(event)) {
          reason = fmt::format("does not answer within {:.3g} s", command_.start_timeout_ns / 1e9);
          break;
        }
        if (std::holds_alternative<Closed>(event)) {
          reason = fmt::format("took its process down: {}", inquiry.worker->reap(command_.start_timeout_ns).text());
          inquiry.worker.reset();
          return std::nullopt;
        }
        const Message &message = std::get<Message>(event);
        if (const auto *wanted = std::get_if<Wanted>(&message)) return *wanted;
        if (const auto *error = std::get_if<Error>(&message)) {
          reason = error->message;
          break;
        }
      }
    } catch (const ProtocolError &error) {
      reason = error.what();
    }
    inquiry.worker.reset();
    return std::nullopt;
  }

  const std::map<std::string, plugin::KeyValues> &options_;
  const WorkerCommand &command_;
};

}  // namespace

std::vector<BackendListing> list_devices(const std::vector<plugin::Candidate> &candidates,
                                         const std::map<std::string, plugin::KeyValues> &options,
                                         const WorkerCommand &command) {
  const Lister lister(options, command);
  std::vector<Inquiry> inquiries;
  // Each step is begun for all before any is waited for, so that slow drivers are slow at the same time.
  for (const plugin::Candidate &candidate : candidates) {
    inquiries.push_back({{candidate, false, false, candidate.reason, {}, {}}, nullptr, 0});
    if (candidate.used) lister.start(inquiries.back(), {});
  }
  std::map<std::string, std::string> names;  // backend -> file
  for (Inquiry &inquiry : inquiries) {
    if (!inquiry.worker) continue;
    lister.describe(inquiry);
    if (!inquiry.listing.loaded) continue;
    const auto [first, is_new] = names.try_emplace(inquiry.listing.info.name, inquiry.listing.candidate.path);
    if (is_new) {
      lister.ask_devices(inquiry);
    } else {
      inquiry.listing.reason = fmt::format("the backend '{}' is already provided by {}", first->first, first->second);
    }
  }
  for (Inquiry &inquiry : inquiries)
    if (inquiry.worker && inquiry.listing.reason.empty()) lister.take_devices(inquiry);
  std::vector<BackendListing> out;
  for (Inquiry &inquiry : inquiries) {
    Lister::finish(inquiry);
    out.push_back(std::move(inquiry.listing));
  }
  return out;
}

}  // namespace sits::worker

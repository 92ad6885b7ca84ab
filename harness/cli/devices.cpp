// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.h"
#include "harness/cli/device_info.h"
#include "harness/cli/devices_of.h"
#include "harness/report/quantity.h"
#include "harness/report/report_json.h"
#include "harness/report/text.h"

namespace sits::cli {
namespace {

struct DevicesOptions {
  DeviceOptions which;
  bool json = false, explain = false;
};

std::vector<report::DeviceInfo> infos_of(const std::vector<worker::BackendListing> &listings) {
  std::vector<report::DeviceInfo> infos;
  for (const auto &listing : listings)
    for (const auto &device : listing.devices) infos.push_back(device_info(listing.info, device));
  return infos;
}

std::string joined(const std::map<std::string, std::string> &values) {
  std::string text;
  for (const auto &[key, value] : values)
    text += (text.empty() ? "" : ", ") + report::one_line(key) + " " + report::one_line(value);
  return text;
}

void print_device(const report::DeviceInfo &device) {
  const auto line = [](const char *label, const std::string &text) {
    if (!text.empty()) std::cout << "  " << label << text << '\n';
  };
  std::cout << device.id << "  " << report::one_line(device.name) << '\n';
  line("architecture   ", report::one_line(device.arch));
  line("uuid           ", report::one_line(device.uuid));
  line("pci            ", report::one_line(device.pci));
  line("driver         ", report::one_line(device.driver));
  if (device.memory_bytes) line("memory         ", report::bytes_text(static_cast<double>(*device.memory_bytes)));
  if (device.llc_bytes) line("last-level     ", report::bytes_text(static_cast<double>(*device.llc_bytes)));
  if (device.compute_units) line("compute units  ", std::to_string(*device.compute_units));
  line("libraries      ", joined(device.libraries));
  line("properties     ", joined(device.properties));
}

void print_explanation(const worker::BackendListing &listing) {
  std::cout << listing.candidate.path << "  (" << plugin::source_name(listing.candidate.source) << ")\n    ";
  if (!listing.candidate.used)
    std::cout << "not tried: " << listing.candidate.reason;
  else if (!listing.loaded)
    std::cout << "not a usable plugin: " << report::one_line(listing.reason);
  else if (!listing.available)
    std::cout << listing.info.name << " " << listing.info.version
              << ": loaded, but unavailable: " << report::one_line(listing.reason);
  else
    std::cout << listing.info.name << " " << listing.info.version << ": " << listing.devices.size() << " device"
              << (listing.devices.size() == 1 ? "" : "s");
  std::cout << '\n';
}

int list_devices(const DevicesOptions &options) {
  const auto listings = find_backends(options.which);
  auto infos = infos_of(listings);
  if (!options.which.devices.empty() || !options.which.backends.empty()) {
    const auto chosen = choose_devices(listings, options.which);
    std::erase_if(infos, [&](const auto &info) {
      return std::ranges::none_of(chosen, [&](const auto &device) { return device.id == info.id; });
    });
  }
  if (options.json) {
    auto document = nlohmann::ordered_json::array();
    for (const auto &info : infos) document.push_back(report::to_json(info));
    std::cout << document.dump(2) << '\n';
  } else {
    for (const auto &info : infos) print_device(info);
  }
  if (options.explain && !options.json)
    for (const auto &listing : listings) print_explanation(listing);
  if (!infos.empty()) return 0;
  std::cerr << "sits: no usable device; 'sits devices --explain' lists every plugin that was tried\n";
  return 5;
}

}  // namespace

void attach_devices(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("devices", "List the devices that can be measured");
  auto options = std::make_shared<DevicesOptions>();
  add_device_options(*command, options->which);
  command->add_flag("--json", options->json, "As JSON");
  command->add_flag("--explain", options->explain, "Also every plugin that was tried, and why it was used or not");
  command->callback([&action, options] { action = [options] { return list_devices(*options); }; });
}

}  // namespace sits::cli

// SPDX-License-Identifier: Apache-2.0
//
// A session of the CPU plugin through its C ABI, as the host sees it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "sits/backend.h"
#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::cpu {

/// A prepared workload; released at the end.
class AbiWorkload {
 public:
  AbiWorkload(const sits_backend *table, sits_workload *workload) : table_(table), workload_(workload) {}
  ~AbiWorkload() {
    if (workload_ != nullptr) table_->release(workload_);
  }
  AbiWorkload(AbiWorkload &&other) noexcept
      : table_(other.table_), workload_(std::exchange(other.workload_, nullptr)) {}
  AbiWorkload &operator=(AbiWorkload &&) = delete;

  std::vector<sits_tensor> tensors() const {
    std::uint32_t count = 0;
    EXPECT_EQ(table_->tensors(workload_, nullptr, 0, &count, nullptr), SITS_OK);
    std::vector<sits_tensor> list(count);
    for (sits_tensor &tensor : list) tensor.struct_size = sizeof tensor;
    EXPECT_EQ(table_->tensors(workload_, list.data(), count, &count, nullptr), SITS_OK);
    return list;
  }

  /// Bit patterns of all elements of a tensor's copy.
  std::vector<std::uint64_t> bits(std::uint32_t tensor, std::uint32_t copy) const {
    const sits_tensor described = tensors().at(tensor);
    const std::size_t size = bits_of(described.type) / 8;
    std::vector<std::uint8_t> raw(size * described.count);
    EXPECT_EQ(table_->read(workload_, tensor, copy, 0, described.count, raw.data(), nullptr), SITS_OK);
    std::vector<std::uint64_t> words(described.count);
    for (std::size_t i = 0; i < words.size(); ++i) std::memcpy(&words[i], raw.data() + i * size, size);
    return words;
  }

  struct Result {
    sits_status status = SITS_OK;
    std::string message;
    sits_samples samples{};
    std::vector<double> device_ns, submit_ns;
  };
  Result run(std::uint32_t samples, std::uint32_t batch, std::uint32_t flags, std::uint64_t timeout_ns = 0) const {
    Result result;
    result.device_ns.assign(samples, -1);
    result.submit_ns.assign(samples, -1);
    result.samples.struct_size = sizeof(sits_samples);
    result.samples.capacity = samples;
    result.samples.device_ns = result.device_ns.data();
    result.samples.submit_to_complete_ns = result.submit_ns.data();
    const sits_run request{sizeof(sits_run), flags, samples, batch, timeout_ns};
    sits_error error{};
    error.struct_size = sizeof error;
    result.status = table_->run(workload_, &request, &result.samples, &error);
    result.message = error.message;
    return result;
  }

  sits_workload *handle() const { return workload_; }

 private:
  const sits_backend *table_;
  sits_workload *workload_;
};

class AbiTest : public ::testing::Test {
 protected:
  ~AbiTest() override { close(); }

  sits_status open(std::vector<std::pair<std::string, std::string>> options = {}, const sits_host *host = nullptr) {
    close();
    std::vector<sits_key_value> items;
    for (const auto &[key, value] : options) items.push_back({sizeof(sits_key_value), 0, key.c_str(), value.c_str()});
    const sits_options list{sizeof(sits_options), static_cast<std::uint32_t>(items.size()), items.data()};
    error_ = {};
    error_.struct_size = sizeof error_;
    return table_->open(host, &list, &session_, &error_);
  }

  void close() {
    if (session_ != nullptr) table_->close(std::exchange(session_, nullptr));
  }

  template <typename Spec>
  static sits_case make_case(std::uint32_t op, const Spec &spec, std::uint32_t mode = SITS_MODE_WARM) {
    return {sizeof(sits_case), op, mode, 0, &spec, kSeed, "test", nullptr};
  }

  sits_status query(const sits_case &test_case) {
    support_ = {};
    support_.struct_size = sizeof support_;
    error_ = {};
    error_.struct_size = sizeof error_;
    return table_->query(session_, 0, &test_case, &support_, &error_);
  }

  AbiWorkload prepare(const sits_case &test_case, std::uint64_t rotation_bytes = 0, std::uint32_t max_copies = 0) {
    const std::uint32_t device = 0;
    const sits_prepare request{sizeof(sits_prepare), 1, &device, &test_case, nullptr, rotation_bytes, max_copies, 0};
    sits_workload *workload = nullptr;
    error_ = {};
    error_.struct_size = sizeof error_;
    EXPECT_EQ(table_->prepare(session_, &request, &workload, &error_), SITS_OK) << error_.message;
    return {table_, workload};
  }

  static constexpr std::uint64_t kSeed = 42;
  const sits_backend *table_ = sits_backend_entry_v1(SITS_ABI_MAJOR, SITS_ABI_MINOR, nullptr);
  sits_session *session_ = nullptr;
  sits_error error_{};
  sits_support support_{};
};

}  // namespace sits::cpu

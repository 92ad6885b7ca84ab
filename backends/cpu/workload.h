// SPDX-License-Identifier: Apache-2.0
//
// What every operation of the CPU backend implements, and what it may use. One pair of files per operation registers an
// OperationEntry in operations.cpp; plugin.cpp maps the C ABI onto it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/memory.h"
#include "backends/cpu/pool.h"
#include "sits/backend.h"

namespace sits::cpu {

/// Instruction sets that kernels choose between at run time; false where the operating system does not save the state.
struct Isa {
  bool avx2 = false, fma = false, f16c = false, avx512 = false;  // avx512: F, BW, CD, DQ, VL
  bool avx512_vnni = false, avx_vnni = false, avx512_bf16 = false, avx512_fp16 = false;
  bool neon = false;
  std::string text() const;  // "avx2 fma f16c"
};

/// Facts of the machine as this process may use it.
struct Machine {
  Isa isa;
  std::string model_name;
  std::uint32_t usable_cpus = 1, physical_cores = 1, numa_nodes = 1;
  std::uint64_t l1d_bytes = 0, l2_bytes = 0;  // of one core, 0 unknown
  std::uint64_t llc_bytes = 0;                // effective, see calibrate.h; 0 unknown
  double clock_hz = 0;                        // measured by a dependent-add chain; 0 unknown
};

/// Shared by all operations of a session.
struct Context {
  const sits_host *host = nullptr;
  Machine machine;
  Pool *pool = nullptr;  // one pinned thread per usable physical core, or as asked
  std::string provider;  // option provider=…, for gemm cases that do not pin one themselves; "" none
  bool should_cancel() const {
    return host != nullptr && host->should_cancel != nullptr && host->should_cancel(host->ctx) != 0;
  }
};

/// Answer of a query; thrown Failure (sdk) means unsupported with the reason.
struct Answer {
  std::uint32_t type_a = 0, type_b = 0, type_acc = 0;
  std::uint64_t copy_bytes = 0, fixed_bytes = 0, host_bytes = 0;
  double predicted_ns = 0, peak_flops = 0;
  std::string providers, note;
};

struct Tensor {
  std::string name;
  std::uint32_t role = SITS_ROLE_INPUT, type = 0, fill = SITS_FILL_NONE;
  std::uint64_t count = 0, stream = 0;
  std::uint32_t copies = 1;
};

struct PrepareRequest {
  const sits_case *test_case = nullptr;
  std::uint64_t rotation_bytes = 0;
  std::uint32_t max_copies = 0;
};

/// A prepared case. Every call may throw sits::sdk::Failure.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual const std::vector<Tensor> &tensors() const = 0;
  /// Raw packed elements in the plain layout of the spec.
  virtual void read(std::uint32_t tensor, std::uint32_t copy, std::uint64_t first, std::uint64_t count, void *dst) = 0;
  /// Fills the outputs of every copy with the poison pattern of their type.
  virtual void poison() = 0;
  virtual std::uint32_t copies() const = 0;
  /// One iteration on copy `copy`, complete on return. Called on the session's thread; uses the pool.
  virtual void iterate(std::uint32_t copy) = 0;
  virtual std::string provider() const = 0;
  virtual std::string alternatives_json() const { return {}; }
  virtual std::string weights() const { return {}; }
  /// memory_latency and peak time many small steps per iterate(): how many iterations one call performs.
  virtual std::uint32_t iterations_per_call() const { return 1; }
  virtual std::uint64_t steps_total() const { return 0; }
  /// True when all work is done inside Pool::run: device_ns then spans the pool's first start to its last end and the
  /// gates count the pool's threads. False (a library's own threads, work between regions): device_ns is the pair of
  /// clock reads around iterate() and the gates count the whole process.
  virtual bool on_pool() const { return false; }
  /// Threads that do the work, of the pool or a library's; 0: as many as the pool has.
  virtual unsigned threads_used() const { return 0; }
};

struct OperationEntry {
  std::uint32_t op = 0;
  Answer (*query)(const Context &, const sits_case &) = nullptr;
  std::unique_ptr<Workload> (*prepare)(Context &, const PrepareRequest &) = nullptr;
};

/// How many rotated copies of `copy_bytes` reach `rotation_bytes` (>= 2 when rotating, 1 otherwise), within max_copies.
std::uint32_t copies_for(const PrepareRequest &request, std::uint64_t copy_bytes);

// The operations, each defined in its own file; peak.cpp, stream.cpp, memory_latency.cpp, gemm.cpp.
OperationEntry gemm_operation();
OperationEntry stream_operation();
OperationEntry memory_latency_operation();
OperationEntry peak_operation();

}  // namespace sits::cpu

/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract between SITS Bench and a backend plugin, version 1.0.
 *
 * A plugin is one shared object that exports one symbol, sits_backend_entry_v1, and returns a table of about a dozen
 * calls. It prepares a workload, runs it, and hands back raw times and raw output elements. Every statistic, ratio and
 * verdict is computed by the host.
 *
 * Rules for both sides
 *  1. `struct_size` is the first field of every struct that crosses. The side that allocates the struct sets it. The
 *     side that reads or fills it accepts any size from the first version's on, uses the smaller of both sizes, treats
 * a missing tail as zero, never writes past it, and never compares for equality. Arrays are strided by the struct_size
 * of element 0. Fields are only ever appended.
 *  2. Same abi_major required; any minor works with any minor. The negotiated minor is the smaller one, stamped by the
 *     plugin into its table.
 *  3. Only fixed-width integers, doubles and pointers. Enumerations are named constants stored in fixed-width fields.
 *  4. Strings are NUL-terminated UTF-8. Those in structs that the plugin fills live until the session is closed (those
 *     of `describe`: for ever). Those in structs that the host passes live for the duration of the call.
 *  5. The host owns every buffer and struct it passes; the plugin owns the opaque handles and frees them itself.
 *  6. Nothing but a status leaves a call: no exception, exit, longjmp, signal handler, changed locale, working
 *     directory, signal mask or file descriptor 0..2.
 *  7. A call is optional if it says so; it is present when it lies inside the plugin's struct_size and is not NULL.
 *  8. Calls on one session come from one thread at a time, except `telemetry` (any time) and, in the other direction,
 *     sits_host.should_cancel, log and now_ns (any thread, any time).
 *  9. A vendor library is opened at run time inside `open`, never linked, so that a missing one is
 *     SITS_UNAVAILABLE with a message and not a plugin that fails to load.
 */
#ifndef SITS_BACKEND_H
#define SITS_BACKEND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SITS_ABI_MAJOR 1u
#define SITS_ABI_MINOR 0u

#if defined(_WIN32)
#define SITS_EXPORT __declspec(dllexport)
#else
#define SITS_EXPORT __attribute__((visibility("default")))
#endif

/* ---------------------------------------------------------------------------------------------------- status --- */

/* Result of a call. A value the reader does not know counts as SITS_INTERNAL. */
typedef int32_t sits_status;
enum {
  SITS_OK = 0,
  SITS_UNSUPPORTED = 1,      /* this device or backend cannot; cheap and free of side effects */
  SITS_UNAVAILABLE = 2,      /* driver or library missing, or no device */
  SITS_INVALID_ARGUMENT = 3, /* the caller broke the contract */
  SITS_OUT_OF_MEMORY = 4,
  SITS_DEVICE_LOST = 5, /* the session is useless from here on */
  SITS_TIMEOUT = 6,
  SITS_CANCELLED = 7, /* sits_host.should_cancel said so */
  SITS_INTERNAL = 8   /* anything else; a vendor API failed: say which in sits_error.api */
};

/* Filled by the callee when a status is not SITS_OK. The host may pass NULL. */
typedef struct sits_error {
  uint32_t struct_size;
  int32_t vendor_code; /* the vendor API's own number, 0 when there is none */
  char message[512];   /* what went wrong, with the value, in one sentence */
  char api[64];        /* the vendor call that failed, "" when there is none */
} sits_error;

/* A named text value: an option, an environment variable, a library version, a device property. */
typedef struct sits_key_value {
  uint32_t struct_size;
  uint32_t reserved;
  const char *key;
  const char *value;
} sits_key_value;

/* ------------------------------------------------------------------------------------------------------ host --- */

enum { SITS_LOG_DEBUG = 0, SITS_LOG_INFO = 1, SITS_LOG_WARNING = 2, SITS_LOG_ERROR = 3 };

/* What the host offers a plugin; lives from `open` to `close`. */
typedef struct sits_host {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved;
  void *ctx; /* passed back as the first argument of each call below */
  void (*log)(void *ctx, int32_t level, const char *text);
  int32_t (*should_cancel)(void *ctx); /* not 0: return SITS_CANCELLED within a second */
  uint64_t (*now_ns)(void *ctx);       /* the clock all host times are on: monotonic, nanoseconds */
} sits_host;

/* ----------------------------------------------------------------------------------------------------- types --- */

/* Element types. f8 codes name the encoding; a case's canonical id says `f8` for the whole e4m3 class. */
enum {
  SITS_DTYPE_NONE = 0,
  SITS_F64 = 1,
  SITS_F32 = 2,
  SITS_TF32 = 3, /* stored as f32, multiplied with a 10-bit mantissa */
  SITS_F16 = 4,
  SITS_BF16 = 5,
  SITS_F8_E4M3 = 6,        /* OCP: max 448, no infinity */
  SITS_F8_E4M3_FNUZ = 7,   /* AMD gfx942: bias 8, max 240, no negative zero */
  SITS_F8_E4M3_GAUDI2 = 8, /* e4m3 with the range of Gaudi2: max 240, infinities */
  SITS_F8_E5M2 = 9,        /* OCP: max 57344 */
  SITS_F8_E5M2_FNUZ = 10,
  SITS_I8 = 11,
  SITS_I4 = 12, /* two in a byte, element 0 in the low nibble */
  SITS_I32 = 13,
  SITS_F4_E2M1 = 14, /* two in a byte, element 0 in the low nibble; with block scales */
  SITS_E8M0 = 15,    /* block scale, a power of two */
  SITS_U8 = 16,
  SITS_F8 = 17 /* in a request only: the e4m3 encoding native to the device; sits_support says which */
};

/* ----------------------------------------------------------------------------------------------------- cases --- */

enum {
  SITS_OP_GEMM = 1,
  SITS_OP_STREAM = 2,
  SITS_OP_ATTENTION = 3,
  SITS_OP_COLLECTIVE = 4,
  SITS_OP_TRANSFER = 5,
  SITS_OP_LAUNCH = 6,
  SITS_OP_MEMORY_LATENCY = 7,
  SITS_OP_PEAK = 8
};

/* Cache state of one sample. NONE where the notion does not apply (launch, peak, transfer, memory_latency). */
enum {
  SITS_MODE_NONE = 0,
  SITS_MODE_COLD = 1,  /* operands rotate through copies, or a flush comes before each sample */
  SITS_MODE_WARM = 2,  /* the same operands again, each iteration timed */
  SITS_MODE_STEADY = 3 /* back to back, a batch timed as one */
};

/* One operation with every parameter fixed. `spec` points to the struct named after the op. */
typedef struct sits_case {
  uint32_t struct_size;
  uint32_t op;
  uint32_t mode;
  uint32_t reserved;
  const void *spec;
  uint64_t seed;        /* of the input generator, sits/generator.h */
  const char *id;       /* canonical id, for messages */
  const char *provider; /* NULL: the backend picks the fastest by measurement; else this one or SITS_UNSUPPORTED */
} sits_case;

enum {
  SITS_EPILOGUE_NONE = 0,
  SITS_EPILOGUE_BIAS = 1,
  SITS_EPILOGUE_BIAS_RELU = 2,
  SITS_EPILOGUE_BIAS_GELU = 3, /* x/2 * (1 + erf(x/sqrt 2)) */
  SITS_EPILOGUE_BIAS_SILU = 4  /* x / (1 + exp(-x)) */
};

enum { SITS_GEMM_REPACK = 1u /* weights are repacked inside the timed region */ };

/* C[g] = epilogue(scale * A[g] * B[g] + bias), for g = 0..batch-1 or for each group.
 * A is m x k, B is k x n, C is m x n, all row-major, dense, one after the other for batch or group; trans_a stores A as
 * k x m, trans_b stores B as n x k. bias has n elements of type f32, shared by batches, one row per group.
 * Products are summed in `acc` (or wider), scale, bias and epilogue are applied in f32 (f64 for f64), and the result is
 * rounded to `out` once. Tensors in the order of `tensors`: A, B, [bias], [scale_a, scale_b], C. Block scales lie like
 * their matrix, trans_a and trans_b included, with k replaced by k / block_size. */
typedef struct sits_gemm_spec {
  uint32_t struct_size;
  uint32_t epilogue;
  uint32_t type_a;
  uint32_t type_b;
  uint32_t type_out;
  uint32_t type_acc; /* SITS_DTYPE_NONE: the natural one (f32; i32 for integers; f64 for f64) */
  uint32_t trans_a;  /* 0 or 1 */
  uint32_t trans_b;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t batch;          /* >= 1 */
  uint32_t group_count;   /* 0: not grouped; else m is the sum of group_m, and B holds group_count matrices */
  uint32_t flags;         /* SITS_GEMM_* */
  const int64_t *group_m; /* rows of A in each group, 0 allowed */
  double scale;           /* per-tensor scale of the accumulator, exactly an f32 value */
  uint32_t block_size;    /* elements along k under one block scale, 0: no block scales */
  uint32_t type_block_scale;
} sits_gemm_spec;

enum {
  SITS_STREAM_COPY = 0,  /* c = a         */
  SITS_STREAM_SCALE = 1, /* b = s c       */
  SITS_STREAM_ADD = 2,   /* c = a + b     */
  SITS_STREAM_TRIAD = 3, /* a = b + s c   */
  SITS_STREAM_READ = 4,  /* sum of a      */
  SITS_STREAM_WRITE = 5  /* a = s         */
};

/* Elements i of arrays of `bytes` each. s = 0.5 (exact in every type). Tensors in the order of `tensors`: the inputs in
 * the order of the formula, named as there, then the output. READ's output "sum" has one element per block of
 * SITS_STREAM_READ_BLOCK_BYTES of the array (the last one may be shorter): the sum of the block's elements as f64 for
 * f64, else as the f32 value of an exact or f32 summation, each block summed anew in every iteration. Inputs of READ
 * come from the generator's small-integer distribution so that every partial sum is exact. */
#define SITS_STREAM_READ_BLOCK_BYTES 65536u
typedef struct sits_stream_spec {
  uint32_t struct_size;
  uint32_t kind;
  uint32_t type;
  uint32_t reserved;
  uint64_t bytes; /* of ONE array, a multiple of the element size */
} sits_stream_spec;

enum { SITS_ATTENTION_PREFILL = 0, SITS_ATTENTION_DECODE = 1 };
enum { SITS_KV_LAYOUT_CONTIGUOUS = 0, SITS_KV_LAYOUT_PAGED = 1 /* [page][kv_head][token][head_dim] */ };

/* O = softmax(scale * Q K^T + mask) V per head; head h uses kv head h / (q_heads / kv_heads); scale = 1/sqrt(head_dim).
 * Q and O are [batch][q_heads][q_len][head_dim]; contiguous K and V [batch][kv_heads][kv_len][head_dim].
 * Causal: query i attends keys 0 .. i + kv_len - q_len. Decode: q_len = 1, paged K and V, block table
 * int32 [batch][ceil(kv_len / page_size)] randomly permuted over all pages of the batch.
 * Tensors: Q, K, V, [block_table], O. */
typedef struct sits_attention_spec {
  uint32_t struct_size;
  uint32_t kind;
  uint32_t type_q; /* of Q, P and O */
  uint32_t type_kv;
  int64_t batch;
  int64_t q_heads;
  int64_t kv_heads;
  int64_t q_len;
  int64_t kv_len;
  int64_t head_dim;
  uint32_t causal;
  uint32_t kv_layout;
  int64_t page_size; /* tokens in a page, 0 when contiguous */
} sits_attention_spec;

enum {
  SITS_ALL_REDUCE = 0,
  SITS_ALL_GATHER = 1,
  SITS_REDUCE_SCATTER = 2,
  SITS_BROADCAST = 3,
  SITS_REDUCE = 4,
  SITS_ALL_TO_ALL = 5,
  SITS_SEND_RECV = 6 /* a ring: rank r sends to r+1 and receives from r-1 */
};
enum { SITS_COLLECTIVE_IN_PLACE = 1u, SITS_COLLECTIVE_GRAPH = 2u, SITS_COLLECTIVE_REGISTERED = 4u };

/* Reductions are sums. `bytes` is S of the NCCL convention: the total buffer for all_gather and reduce_scatter, the
 * buffer of one rank for the others. Root is rank 0. Tensors: in, out. */
typedef struct sits_collective_spec {
  uint32_t struct_size;
  uint32_t kind;
  uint32_t type;
  uint32_t flags;
  uint64_t bytes;
  uint32_t ranks;
  uint32_t reserved;
} sits_collective_spec;

enum {
  SITS_TRANSFER_H2D = 0,
  SITS_TRANSFER_D2H = 1,
  SITS_TRANSFER_D2D = 2,
  SITS_TRANSFER_P2P = 3,
  SITS_TRANSFER_BIDIRECTIONAL = 4 /* h2d and d2h at once */
};
enum { SITS_HOST_MEMORY_PINNED = 0, SITS_HOST_MEMORY_PAGEABLE = 1 };
enum { SITS_NUMA_ANY = -1, SITS_NUMA_NEAR = -2, SITS_NUMA_FAR = -3 };

/* Copy of `bytes` (in each direction, when bidirectional). Tensors: src, dst. */
typedef struct sits_transfer_spec {
  uint32_t struct_size;
  uint32_t kind;
  uint32_t host_memory;
  int32_t numa; /* node of the host buffer, or SITS_NUMA_* */
  uint64_t bytes;
} sits_transfer_spec;

enum {
  SITS_LAUNCH_HOST_CALL = 0,  /* duration of the enqueue call itself */
  SITS_LAUNCH_ROUND_TRIP = 1, /* empty kernel: enqueue to completion seen by the host */
  SITS_LAUNCH_DEVICE_GAP = 2, /* end of one kernel to start of the next, queued back to back */
  SITS_LAUNCH_GRAPH_NODE = 3  /* time per empty node of a long graph */
};
typedef struct sits_launch_spec {
  uint32_t struct_size;
  uint32_t kind;
} sits_launch_spec;

/* One dependent load per step over a random single cycle of 64-byte lines that covers `bytes` (a multiple of 64; at
 * least 2 lines). The walk starts at line 0 in `prepare` and goes on from where it stands in every later sample. One
 * iteration is one step: the backend times a walk of `sits_run.batch` steps (or more, see sits_samples.batch) and
 * divides. Tensor: "last", one i32, the line reached after sits_samples.steps_total steps; the cycle is that of
 * generator.h, which the oracle walks too. */
typedef struct sits_memory_latency_spec {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t bytes;
} sits_memory_latency_spec;

enum { SITS_PEAK_FMA = 0, SITS_PEAK_MATRIX = 1 };

/* Register-only multiply-add loop: the compute roof of one element type on the vector unit or the matrix unit. One
 * iteration is `sits_support.peak_flops` operations over the whole device. Tensor "acc": one f64 per thread, the mean
 * over all lanes of all its accumulators, which is exactly 2 at the end of every loop: either acc = acc * 0.5 + 1 from
 * 0 (fixed point 2), or acc starts at 2 and products +p and -p are added alternately. */
typedef struct sits_peak_spec {
  uint32_t struct_size;
  uint32_t unit;
  uint32_t type;
  uint32_t reserved;
} sits_peak_spec;

/* -------------------------------------------------------------------------------------------------- describe --- */

/* What `describe` tells without touching a device. */
typedef struct sits_info {
  uint32_t struct_size;
  uint32_t flags;
  const char *name;                /* "cpu", "cuda": lower case, unique */
  const char *vendor;              /* "NVIDIA" … */
  const char *version;             /* of the plugin */
  const sits_key_value *libraries; /* key: soname to open, value: what it is for */
  uint32_t library_count;
  uint32_t environment_count;
  const sits_key_value *environment; /* set in the worker before it starts, only where the user has not set it */
} sits_info;

/* Plugin options as text, e.g. threads=2; an unknown key is SITS_INVALID_ARGUMENT. */
typedef struct sits_options {
  uint32_t struct_size;
  uint32_t count;
  const sits_key_value *items;
} sits_options;

/* --------------------------------------------------------------------------------------------------- devices --- */

enum {
  SITS_DEVICE_CPU = 1u,
  SITS_DEVICE_SIMULATED = 2u /* behind a test double: every result says `simulated` */
};

/* A dense peak rate. */
typedef struct sits_peak_rate {
  uint32_t struct_size;
  uint32_t type; /* SITS_F32 … */
  uint32_t unit; /* SITS_PEAK_FMA, SITS_PEAK_MATRIX */
  uint32_t reserved;
  double ops_per_clock_unit; /* operations (multiply and add count 1 each) per clock and compute unit, 0 unknown */
  double ops_per_s;          /* datasheet or derived rate of the device, 0 unknown */
} sits_peak_rate;

/* One device. 0, NULL and -1 (numa_node) mean unknown. */
typedef struct sits_device {
  uint32_t struct_size;
  uint32_t flags; /* SITS_DEVICE_* */
  const char *name;
  const char *vendor;
  const char *arch; /* "sm_90", "gfx942", "x86-64-v4" */
  const char *uuid;
  const char *pci; /* "0000:3b:00.0" */
  const char *partition;
  const char *driver;
  uint64_t memory_bytes;
  uint64_t llc_bytes; /* the effective last-level cache of one process using the whole device */
  int32_t numa_node;
  uint32_t compute_units;
  double clock_max_mhz;
  double power_cap_w;
  double bandwidth_bytes_per_s;
  uint32_t link_gen;
  uint32_t link_width;
  uint32_t link_max_gen;
  uint32_t link_max_width;
  uint32_t rank_slots; /* ranks that fit without sharing a compute unit: 1 on an accelerator, usable cores on a CPU */
  uint32_t peak_count;
  const sits_peak_rate *peaks;
  const sits_key_value *libraries;  /* name: version */
  const sits_key_value *properties; /* capabilities and facts: "fp8": "ocp", "isa": "avx2 fma", "threads": "2" … */
  uint32_t library_count;
  uint32_t property_count;
} sits_device;

/* ------------------------------------------------------------------------------------------- query / prepare --- */

/* Answer of `query`; all text is copied by the host before the next call. */
typedef struct sits_support {
  uint32_t struct_size;
  uint32_t type_a; /* what SITS_F8 resolved to; else as asked */
  uint32_t type_b;
  uint32_t type_acc;     /* accumulation actually used, for the tolerance */
  uint64_t copy_bytes;   /* device bytes of one copy of all rotated operands */
  uint64_t fixed_bytes;  /* device bytes besides the copies (workspace, outputs that do not rotate) */
  uint64_t host_bytes;   /* host bytes besides */
  double predicted_ns;   /* of one iteration, 0 unknown */
  double peak_flops;     /* operations in one iteration of `peak`, else 0 */
  const char *providers; /* comma-separated, in order of preference */
  const char *note;      /* e.g. "f16 storage, f32 compute"; NULL none */
} sits_support;

typedef struct sits_session sits_session;
typedef struct sits_workload sits_workload;
typedef struct sits_comm sits_comm;

/* What to prepare. */
typedef struct sits_prepare {
  uint32_t struct_size;
  uint32_t device_count;
  const uint32_t *devices;
  const sits_case *test_case;
  sits_comm *comm;         /* collectives: from comm_open; else NULL */
  uint64_t rotation_bytes; /* cold: rotated copies together hold at least this much; 0: one copy */
  uint32_t max_copies;     /* 0: no limit */
  uint32_t reserved;
} sits_prepare;

enum { SITS_ROLE_INPUT = 0, SITS_ROLE_OUTPUT = 1, SITS_ROLE_INOUT = 2 };

/* How the elements of an input come from the generator, see generator.h. */
enum {
  SITS_FILL_NONE = 0,
  SITS_FILL_UNIFORM = 1,      /* [-1, 1) rounded to the type; integers: the full symmetric range */
  SITS_FILL_SMALL_INTEGER = 2 /* -2 … 2: sums stay exact */
};

/* One logical tensor of a workload, in the plain layout of its spec whatever the provider packs. */
typedef struct sits_tensor {
  uint32_t struct_size;
  uint32_t role;
  const char *name;
  uint32_t type;
  uint32_t fill;
  uint64_t count;  /* elements */
  uint64_t stream; /* `tensor` argument of the generator for copy c is stream + c * SITS_COPY_STRIDE */
  uint32_t copies; /* how many rotated copies there are, >= 1 */
  uint32_t reserved;
} sits_tensor;
#define SITS_COPY_STRIDE 16u

/* ------------------------------------------------------------------------------------------------------- run --- */

enum {
  SITS_RUN_POISON_BEFORE = 1u, /* fill the outputs with the type's poison pattern before the first iteration, untimed */
  SITS_RUN_FLUSH = 2u,         /* evict caches before each sample (only where copies cannot rotate) */
  SITS_RUN_GRAPH = 4u,         /* replay as one graph where the backend has them */
  SITS_RUN_NO_ROTATE = 8u      /* stay on copy 0 */
};

typedef struct sits_run {
  uint32_t struct_size;
  uint32_t flags;   /* SITS_RUN_* */
  uint32_t samples; /* how many to take */
  uint32_t batch;   /* iterations in one sample, timed together; the sample is time / batch */
  uint64_t timeout_ns;
} sits_run;

enum { SITS_CLOCK_DEVICE = 0, SITS_CLOCK_HOST = 1 };

/* Raw samples of one `run`. The host allocates `capacity` doubles for each array. */
typedef struct sits_samples {
  uint32_t struct_size;
  uint32_t capacity;
  double *device_ns;             /* per iteration: start of device work to its completion */
  double *submit_to_complete_ns; /* per iteration: host clock around submit -> complete */
  uint32_t count;                /* samples written */
  uint32_t batch;                /* iterations that a sample really held */
  uint32_t current_copy;         /* copy whose outputs the last iteration wrote */
  uint32_t clock;                /* SITS_CLOCK_*: what device_ns was read from */
  double resolution_ns;          /* tick of that clock */
  double floor_ns;               /* time of an empty measurement */
  double cpu_ns;                 /* CPU backends: sum of thread CPU time over the timed region; else 0 */
  double wall_ns;                /* wall time of that region */
  uint64_t minor_faults;         /* CPU backends: page faults, involuntary switches in that region; else 0 */
  uint64_t involuntary_switches;
  uint32_t threads;         /* CPU backends: threads that did the work; else 0 */
  uint32_t gates_valid;     /* 1: the five fields above were read */
  const char *provider;     /* what ran: "onednn 2.6.3 brg:avx2" … */
  const char *alternatives; /* JSON array [{"provider": …, "median_ns": …}] of the ones not chosen, or NULL */
  const char *weights;      /* "prepacked" or NULL */
  uint64_t steps_total;     /* memory_latency: steps walked from line 0 since `prepare` */
} sits_samples;

/* ------------------------------------------------------------------------------------------------- telemetry --- */

enum {
  SITS_TELEMETRY_CLOCK = 1u,
  SITS_TELEMETRY_MEMORY_CLOCK = 2u,
  SITS_TELEMETRY_POWER = 4u,
  SITS_TELEMETRY_ENERGY = 8u,
  SITS_TELEMETRY_TEMPERATURE = 16u,
  SITS_TELEMETRY_THROTTLE = 32u,
  SITS_TELEMETRY_ECC = 64u,
  SITS_TELEMETRY_LINK = 128u,
  SITS_TELEMETRY_MEMORY_USED = 256u,
  SITS_TELEMETRY_PROCESSES = 512u
};

/* A reading; a field counts only when its bit is in `valid` (a vendor's "not available" value is absent, not 0). */
typedef struct sits_telemetry {
  uint32_t struct_size;
  uint32_t valid;
  double clock_mhz;
  double memory_clock_mhz;
  double power_w;
  double energy_j; /* cumulative */
  double temperature_c;
  uint64_t throttle_ns; /* cumulative */
  uint64_t throttle_reasons;
  uint64_t ecc_errors; /* cumulative, uncorrected */
  uint32_t link_gen;
  uint32_t link_width;
  uint64_t memory_used_bytes;
  uint32_t other_processes;
  uint32_t reserved;
} sits_telemetry;

/* ----------------------------------------------------------------------------------------------- collectives --- */

typedef struct sits_comm_id {
  uint32_t struct_size;
  uint32_t size; /* bytes used */
  uint8_t bytes[256];
} sits_comm_id;

/* ----------------------------------------------------------------------------------------------------- table --- */

typedef struct sits_backend {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor; /* negotiated: min(plugin, host) */
  uint32_t reserved;

  /* Touches no device, opens no library. */
  sits_status (*describe)(sits_info *info, sits_error *error);

  /* SITS_UNAVAILABLE + reason when a driver or library is missing. `host` outlives the session. */
  sits_status (*open)(const sits_host *host, const sits_options *options, sits_session **session, sits_error *error);
  void (*close)(sits_session *session);

  /* Two-call idiom: with capacity 0 only *count is set. Fills min(capacity, *count) elements. */
  sits_status (*devices)(sits_session *session, sits_device *out, uint32_t capacity, uint32_t *count,
                         sits_error *error);

  /* Cheap (< 1 ms), allocates nothing on a device. SITS_UNSUPPORTED with the reason in error->message. */
  sits_status (*query)(sits_session *session, uint32_t device, const sits_case *test_case, sits_support *support,
                       sits_error *error);

  /* Allocates the copies and fills the inputs on the device; chooses a provider unless pinned. */
  sits_status (*prepare)(sits_session *session, const sits_prepare *request, sits_workload **workload,
                         sits_error *error);

  /* The logical tensors; two-call idiom as `devices`. */
  sits_status (*tensors)(sits_workload *workload, sits_tensor *out, uint32_t capacity, uint32_t *count,
                         sits_error *error);

  /* Copies `count` elements from element `first` of a tensor's copy into dst (sub-byte types: whole bytes, `first`
   * even). Synchronous. */
  sits_status (*read)(sits_workload *workload, uint32_t tensor, uint32_t copy, uint64_t first, uint64_t count,
                      void *dst, sits_error *error);

  /* Takes `samples` timed samples and returns when all work is complete. Outputs depend on inputs only, however often
   * it is called. With rotation, successive iterations use successive copies, across calls too. */
  sits_status (*run)(sits_workload *workload, const sits_run *request, sits_samples *samples, sits_error *error);

  void (*release)(sits_workload *workload);

  /* Optional (NULL: no telemetry in the report). May be called from another thread while `run` is in progress. */
  sits_status (*telemetry)(sits_session *session, uint32_t device, sits_telemetry *out, sits_error *error);

  /* Optional (NULL: collectives are unsupported unless the plugin runs all ranks in one process). comm_id is called on
   * rank 0 and its bytes are carried to the others by the host. */
  sits_status (*comm_id)(sits_session *session, sits_comm_id *id, sits_error *error);
  sits_status (*comm_open)(sits_session *session, uint32_t device, uint32_t rank, uint32_t size, const sits_comm_id *id,
                           sits_comm **comm, sits_error *error);
  void (*comm_close)(sits_comm *comm);
} sits_backend;

/* The only exported symbol. The host passes the versions it speaks; the plugin returns its table, or NULL with the
 * reason when the major differs. The table lives until the process ends. */
typedef const sits_backend *(*sits_backend_entry_fn)(uint32_t host_abi_major, uint32_t host_abi_minor,
                                                     sits_error *error);
#define SITS_BACKEND_ENTRY "sits_backend_entry_v1"
SITS_EXPORT const sits_backend *sits_backend_entry_v1(uint32_t host_abi_major, uint32_t host_abi_minor,
                                                      sits_error *error);

#ifdef __cplusplus
}
#endif
#endif /* SITS_BACKEND_H */

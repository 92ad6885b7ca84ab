#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gate: the unit tests with Clang's address and undefined-behaviour sanitizers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
cmake -S . -B build/asan -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -gline-tables-only" \
  -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 -DSITS_BUILD_TESTS=ON -DSITS_WARNINGS_AS_ERRORS=ON \
  -DSITS_SANITIZE=address,undefined -DSITS_BUILD_GBENCH=OFF
cmake --build build/asan
# crashes of the null backend must stay the signals that the supervisor expects
asan=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1:handle_segv=0:handle_abort=0
export UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions="$PWD/scripts/gates/lsan.supp"
run() { ctest --test-dir build/asan --output-on-failure --no-tests=error -j "$(nproc)" -L unit "$@"; }
ASAN_OPTIONS=$asan run -E '^Gemm'
# the leak check stops all threads, which the thread pools of the GEMM libraries do not survive
ASAN_OPTIONS=$asan:detect_leaks=0 run -R '^Gemm'

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gate: all tests with Clang's address and undefined-behaviour sanitizers. Usage: sanitizers.sh [options of ctest]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
cmake -S . -B build/asan -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -gline-tables-only" -DCMAKE_C_COMPILER=clang-14 \
  -DCMAKE_CXX_COMPILER=clang++-14 -DSITS_BUILD_TESTS=ON -DSITS_WARNINGS_AS_ERRORS=ON \
  -DSITS_SANITIZE=address,undefined -DSITS_BUILD_GBENCH=OFF
cmake --build build/asan
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
# libgomp and vendor libraries opened at run time are not instrumented and keep their pools until exit
export LSAN_OPTIONS=suppressions="$PWD/scripts/gates/lsan.supp"
ctest --test-dir build/asan --output-on-failure --no-tests=error -j "$(nproc)" -LE 'portable' "$@"

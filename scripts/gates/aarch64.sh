#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gate: everything whose headers are at hand cross-compiles for aarch64, and its unit tests pass under qemu.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Highway is header-only: a folder that holds it alone, so that the host's other headers stay out of sight
mkdir -p build/aarch64-include
ln -sfn /usr/include/hwy build/aarch64-include/hwy
cmake -S . -B build/aarch64 -G Ninja -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" -DSITS_BUILD_TESTS=ON -DSITS_WARNINGS_AS_ERRORS=ON \
  -DSITS_BUILD_GBENCH=OFF -DSITS_HWY_INCLUDE_DIR="$PWD/build/aarch64-include" \
  -DSITS_MD_ARCHIVE=/usr/lib/aarch64-linux-gnu/libmd.a
cmake --build build/aarch64
ctest --test-dir build/aarch64 --output-on-failure --no-tests=error -j "$(nproc)" -L unit -LE not_emulated "$@"

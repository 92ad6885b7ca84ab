#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with tests and runs them all: scripts/test.sh [options of ctest]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/scripts/setup.sh" test
cmake -S "$root" -B "$root/build/test" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DSITS_BUILD_TESTS=ON -DSITS_WARNINGS_AS_ERRORS=ON
cmake --build "$root/build/test"
exec ctest --test-dir "$root/build/test" --output-on-failure --no-tests=error -j "$(nproc)" "$@"

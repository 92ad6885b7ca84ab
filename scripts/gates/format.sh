#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gate: every C and C++ file is formatted as .clang-format says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
git ls-files -z '*.h' '*.cpp' '*.c' | xargs -0 clang-format-14 --dry-run --Werror

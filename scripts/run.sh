#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds sits and measures this machine: scripts/run.sh [options of `sits run`]
# Its own default, --suite quick, yields to a --suite or --resume of yours.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/scripts/setup.sh" run
cmake -S "$root" -B "$root/build/release" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$root/build-configure.log" 2>&1 || {
  cat "$root/build-configure.log" >&2
  exit 2
}
rm -f "$root/build-configure.log"
cmake --build "$root/build/release" >&2

defaults=(--suite quick)
for argument in "$@"; do
  case "$argument" in
    --suite | --suite=* | --resume | --resume=* | -h | --help) defaults=() ;;
  esac
done
exec "$root/build/release/bin/sits" run "${defaults[@]}" "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gate: clang-tidy over what changed since $SITS_TIDY_BASE, else since the last tag, else everything, within a time
# limit; what was left out is printed. Usage: tidy.sh BUILD_DIR MINUTES
set -euo pipefail
build=${1:?usage: tidy.sh BUILD_DIR MINUTES}
minutes=${2:?usage: tidy.sh BUILD_DIR MINUTES}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

base=${SITS_TIDY_BASE:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -n "$base" ]; then
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp' | sort)
else
  # oldest check first would always leave out the same tail: begin at a place that moves with the day
  mapfile -t files < <(git ls-files 'backends/*.cpp' 'microbench/*.cpp' 'harness/*.cpp' | sort)
  start=$((10#$(date +%j) * 7 % ${#files[@]}))
  files=("${files[@]:start}" "${files[@]:0:start}")
fi
known=()
for file in "${files[@]}"; do
  grep -qF "/$file\"" "$build/compile_commands.json" && known+=("$file")
done
[ ${#known[@]} -gt 0 ] || { echo "tidy: nothing to check"; exit 0; }

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
deadline=$((SECONDS + minutes * 60))
export build results
check_one() {
  local name=${1//\//_}
  if clang-tidy-14 --quiet --extra-arg=-Wno-unknown-warning-option -p "$build" "$1" >"$results/$name.log" 2>/dev/null; then
    touch "$results/$name.ok"
  else
    mv "$results/$name.log" "$results/$name.bad"
  fi
}
for file in "${known[@]}"; do
  [ $SECONDS -lt $deadline ] || break
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  check_one "$file" &
done
wait
left_out=()
for file in "${known[@]}"; do
  name=${file//\//_}
  [ -e "$results/$name.ok" ] || [ -e "$results/$name.bad" ] || left_out+=("$file")
done
cat "$results"/*.bad 2>/dev/null || true
bad=$(find "$results" -name '*.bad' | wc -l)
[ ${#left_out[@]} -eq 0 ] || printf 'tidy: left out for lack of time: %s\n' "${left_out[@]}"
echo "tidy: $((${#known[@]} - ${#left_out[@]})) of ${#known[@]} files checked, $bad with findings"
[ "$bad" -eq 0 ]

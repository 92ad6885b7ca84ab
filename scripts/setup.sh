#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing. Usage: scripts/setup.sh run|test|ci   (test includes run, ci includes test)
set -euo pipefail

run_packages=(cmake ninja-build g++ pkg-config git ca-certificates
  libfmt-dev nlohmann-json3-dev libcli11-dev libvalijson-dev libboost-dev libmd-dev
  libhwy-dev libhwloc-dev libhwloc15 libdnnl-dev libdnnl2 libopenblas0-pthread libbenchmark-dev)
test_packages=(libgtest-dev libgmock-dev python3 python3-jsonschema procps locales)
ci_packages=(clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev binutils
  g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user googletest libmd-dev:arm64)

case "${1:-run}" in
  run) wanted=("${run_packages[@]}") ;;
  test) wanted=("${run_packages[@]}" "${test_packages[@]}") ;;
  ci) wanted=("${run_packages[@]}" "${test_packages[@]}" "${ci_packages[@]}") ;;
  *)
    echo "setup.sh: unknown set '$1'; use run, test or ci" >&2
    exit 2
    ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  {
    echo "setup.sh: this system has no apt-get, so nothing was installed."
    echo "Install the equivalents of these Debian 12 packages, then build with"
    echo "  cmake --preset release && cmake --build --preset release"
    printf '  %s\n' "${wanted[@]}"
    echo "Set SITS_SKIP_SETUP=1 to go on without this check."
  } >&2
  [ "${SITS_SKIP_SETUP:-0}" = 1 ] && exit 0
  exit 2
fi

missing=()
for package in "${wanted[@]}"; do
  # one line for each architecture it is installed for
  dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo)
else
  {
    echo "setup.sh: these packages are missing and installing them needs root:"
    echo "  sudo apt-get install --no-install-recommends ${missing[*]}"
  } >&2
  exit 2
fi

echo "setup.sh: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
if [[ " ${missing[*]} " == *:arm64\ * ]]; then "${as_root[@]}" dpkg --add-architecture arm64; fi
"${as_root[@]}" apt-get update -qq >&2
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gate: what ships needs GLIBC <= 2.34, GLIBCXX <= 3.4.29 and no library but libc's and libstdc++'s at load;
# a plugin exports exactly its entry symbol. Usage: portable_elf.sh BUILD_DIR
set -euo pipefail
build=${1:?usage: portable_elf.sh BUILD_DIR}
failed=0
complain() {
  echo "portable_elf: $1" >&2
  failed=1
}

newer_than() { [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -1)" = "$1" ]; }

check() {
  local file=$1 version
  for pair in GLIBC_:2.34 GLIBCXX_:3.4.29 CXXABI_:1.3.13; do
    local prefix=${pair%%:*} limit=${pair##*:}
    while read -r version; do
      if newer_than "$version" "$limit"; then
        complain "$file needs ${prefix}${version}, newer than ${limit}: $(nm -D --with-symbol-versions "$file" |
          grep -F "@${prefix}${version}" | awk '{print $NF}' | head -3 | tr '\n' ' ')"
      fi
    done < <(readelf -VW "$file" | grep -oE "Name: ${prefix}[0-9.]+" | sed "s/Name: ${prefix}//" | sort -uV)
  done
  while read -r library; do
    case "$library" in
      libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | libstdc++.so.6 | libgcc_s.so.1 | ld-linux*) ;;
      *) complain "$file needs $library at load" ;;
    esac
  done < <(readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
}

count=0
for file in "$build"/bin/* "$build"/lib/sits/*.so; do
  [ -f "$file" ] && [ "$(basename "$file")" != sits-gbench ] || continue
  check "$file"
  count=$((count + 1))
done
for file in "$build"/lib/sits/*.so; do
  exported=$(nm -D --defined-only "$file" | awk '$2 ~ /[TDBRVW]/ {print $3}' | tr '\n' ' ')
  [ "$exported" = "sits_backend_entry_v1 " ] || complain "$file exports: $exported"
done
[ "$count" -ge 2 ] || complain "found only $count files under $build"
[ "$failed" -eq 0 ] && echo "portable_elf: $count files need GLIBC <= 2.34, GLIBCXX <= 3.4.29 and nothing else"
exit "$failed"

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gate: who may include whom (docs/architecture.md). Reads the #include lines of every source file."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# room -> prefixes of project headers it may include besides its own room and "sits/"
ALLOWED = {
    "backends/include": [],
    "backends/sdk": [],
    "backends/kernels": [],
    "backends/cpu": ["backends/sdk/", "backends/kernels/"],
    "backends/cuda": ["backends/sdk/", "backends/kernels/"],
    "backends/hip": ["backends/sdk/", "backends/kernels/"],
    "backends/level_zero": ["backends/sdk/", "backends/kernels/"],
    "backends/gaudi": ["backends/sdk/", "backends/kernels/"],
    "backends/opencl": ["backends/sdk/", "backends/kernels/"],
    "microbench": [],
    "harness/measure": ["microbench/"],
    "harness/verify": ["microbench/", "harness/measure/"],
    "harness/normalize": ["microbench/", "harness/measure/"],
    "harness/compare": ["microbench/", "harness/measure/", "harness/normalize/"],
    "harness/plugin": ["microbench/", "harness/measure/", "harness/verify/"],
    "harness/worker": ["microbench/", "harness/measure/", "harness/verify/", "harness/plugin/"],
    "harness/report": ["microbench/", "harness/measure/"],
    "harness/cli": ["microbench/", "harness/"],
    "harness/gbench": ["microbench/", "harness/"],
}
PROJECT = ("sits/", "backends/", "microbench/", "harness/", "tests/")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
# a renderer sees the report model and shared text helpers of its own room, nothing that measures or reads files
RENDERER = re.compile(r"^harness/report/render_\w+\.(cpp|h)$")
PURE = ("harness/measure", "harness/verify", "harness/normalize", "harness/compare")
IMPURE_HEADERS = {"fstream", "filesystem", "thread", "unistd.h", "fcntl.h", "sys/socket.h", "sys/mman.h", "dlfcn.h",
                  "cstdio"}


def room_of(path: str) -> str | None:
    matches = [room for room in ALLOWED if path.startswith(room + "/")]
    return max(matches, key=len) if matches else None


def violations(path: str, text: str) -> list[str]:
    room = room_of(path)
    if room is None:
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1)
        if room in PURE and header in IMPURE_HEADERS:
            found.append(f"{path}:{number}: {room} is pure and may not include <{header}>")
        if not header.startswith(PROJECT) or header.startswith("sits/") or header.startswith(room + "/"):
            if RENDERER.match(path) and header.startswith("harness/report/") and not re.match(
                    r"harness/report/(model|renderer|view|text|row_text|quantity|json_text|report_json)\.h", header):
                found.append(f"{path}:{number}: a renderer may include the model and text helpers, not {header}")
            continue
        if not any(header.startswith(prefix) for prefix in ALLOWED[room]):
            found.append(f"{path}:{number}: {room} may not include {header}")
    return found


def self_test() -> None:
    assert violations("backends/cpu/x.cpp", '#include "harness/measure/result.h"\n')
    assert violations("backends/cpu/x.cpp", '#include "microbench/case.h"\n')
    assert violations("microbench/x.cpp", '#include "harness/measure/result.h"\n')
    assert violations("harness/measure/x.cpp", "#include <fstream>\n")
    assert violations("harness/worker/x.cpp", '#include "harness/report/model.h"\n')
    assert not violations("harness/worker/x.cpp", '#include "harness/plugin/backend.h"\n#include <fstream>\n')


def main() -> int:
    self_test()
    found = []
    count = 0
    for room in ALLOWED:
        for path in sorted((ROOT / room).rglob("*")):
            relative = path.relative_to(ROOT).as_posix()
            if path.suffix in (".h", ".hpp", ".c", ".cpp", ".cc", ".inc") and room_of(relative) == room:
                count += 1
                found += violations(relative, path.read_text(encoding="utf-8"))
    print("\n".join(found))
    print(f"include rule: {count} files read, {len(found)} violations")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Runs the real binary in a folder of its own, without the user's settings."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["SITS_BUILD"])
SOURCE = Path(os.environ["SITS_SOURCE"])
SITS = BUILD / "bin" / "sits"
NULL_PLUGIN = BUILD / "tests" / "lib" / "libsits_backend_null.so"

# a short real run on the CPU: one compute-bound and one bandwidth-bound case
SHORT_SUITE = {
    "schema": "sits.suite", "schema_version": 1, "name": "short", "version": "1", "description": "two quick cases",
    "defaults": {"min_samples": 20, "budget": "3s"},
    "cases": [
        {"id": "gemm/bias_silu/f32.f32.f32/m128n128k128/warm", "required": True},
        {"id": "stream/triad/f32/1mib/warm"},
    ],
}


class SitsTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sits-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def environment(self, **extra):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
               "XDG_STATE_HOME": str(self.folder / "state"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(extra)
        return env

    def start(self, *arguments, env=None, **options):
        return subprocess.Popen([str(SITS), *map(str, arguments)], cwd=self.folder, env=env or self.environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def sits(self, *arguments, env=None, stdin=None, timeout=120, text=True):
        return subprocess.run([str(SITS), *map(str, arguments)], cwd=self.folder, env=env or self.environment(),
                              input=stdin, capture_output=True, timeout=timeout, text=text)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def report(self, name="report.json"):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def assert_usage_error(self, result, *words):
        """One clear message on standard error that holds every word, exit code 2, nothing on standard output."""
        self.assert_error(result, 2, *words)

    def assert_error(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("sits: "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])

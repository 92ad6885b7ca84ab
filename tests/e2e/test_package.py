# SPDX-License-Identifier: Apache-2.0
"""An installed tree works where it lies, and lets an outsider build a backend."""
import json
import subprocess
import unittest

from harness import BUILD, SOURCE, SitsTest

CASE = "stream/copy/f32/1mib/warm"


class PackageTest(SitsTest):
    def command(self, *words):
        result = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300,
                                cwd=self.folder, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_a_backend_is_built_out_of_tree_and_measured_by_the_installed_program(self):
        self.command("cmake", "--install", BUILD, "--prefix", self.folder / "first")
        (self.folder / "first").rename(self.folder / "moved")  # the tree is relocatable
        prefix = self.folder / "moved"
        self.command("cmake", "-S", SOURCE / "examples" / "backend", "-B", self.folder / "example",
                     f"-DCMAKE_PREFIX_PATH={prefix}")
        self.command("cmake", "--build", self.folder / "example")
        plugin = self.folder / "example" / "libsits_backend_example.so"
        sits = prefix / "bin" / "sits"

        explained = self.command(sits, "devices", "--plugin", plugin, "--explain")
        self.assertIn("example 1.0: 1 device", explained)
        self.assertIn("cpu:0", explained)
        self.command(sits, "run", "--plugin", plugin, "--device", "example:0", "--case", CASE, "--case",
                     "peak/fma/f32", "-o", "report.json")
        copy, peak = json.loads((self.folder / "report.json").read_text())["results"]
        self.assertEqual((copy["status"], copy["provider"]), ("ok", "memcpy"))
        self.assertGreater(copy["verification"]["checked"], 0)
        self.assertEqual(peak["status"], "unsupported")
        self.assertIn("stream/copy only", peak["reason"]["message"])


if __name__ == "__main__":
    unittest.main()

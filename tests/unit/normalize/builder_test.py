# SPDX-License-Identifier: Apache-2.0
"""The rules by which published figures become baselines."""
import json
import math
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/baselines"))

import build  # noqa: E402
import published  # noqa: E402
from latency_model import Fit, Gemm, Part, byte_rate, fit, gemm_ns  # noqa: E402

LLC = 50 << 20


def figure(source, element, size, value, unit="us"):
    return {"id": "gemm-1", "device": "part", "source": source, "value": value, "unit": unit,
            "config": {"type": element, "m": size, "n": size, "k": size}}


class Selection(unittest.TestCase):
    def test_the_lowest_latency_that_states_the_cache_state_wins_and_the_spread_enters(self):
        rows = [figure("aic_gemm_trtllm", "bf16", 8192, 1400), figure("aic_gemm_vllm", "bf16", 8192, 1500)]
        (best, relative, count), = published.gemm_choices(rows, "part", LLC)
        self.assertEqual((best.latency_ns, best.state, count), (1400e3, "any", 2))
        self.assertAlmostEqual(relative, math.hypot(0.05, math.log(1500 / 1400)))

    def test_small_weights_of_the_second_engine_only_widen_the_interval(self):
        rows = [figure("aic_gemm_trtllm", "bf16", 1024, 6.1), figure("aic_gemm_vllm", "bf16", 1024, 5.0)]
        (best, relative, _), = published.gemm_choices(rows, "part", LLC)
        self.assertEqual((best.latency_ns, best.state), (6100, "cold"))
        self.assertGreater(relative, 0.19)

    def test_fp8_rows_with_the_quantisation_inside_are_dropped_when_small(self):
        rows = [figure("aic_gemm_trtllm", "f8", 1024, 16.52), figure("azure_h100", "f8", 1024, 274.1, "TFLOPS")]
        (best, _, count), = published.gemm_choices(rows, "part", LLC)
        self.assertEqual((best.source, best.state, count), ("azure_h100", "warm", 1))
        self.assertAlmostEqual(best.latency_ns, 2 * 1024**3 / 274.1e12 * 1e9)

    def test_a_warm_value_never_gets_a_cold_id(self):
        rows = [figure("azure_h100", "f8", 1024, 274.1, "TFLOPS")]
        ids = [v["id"] for v in published.gemm_values(published.gemm_choices(rows, "part", LLC))]
        self.assertTrue(ids)
        self.assertFalse([i for i in ids if i.endswith("/cold")])


class Model(unittest.TestCase):
    def part(self):
        return Part({"bf16": 1e12}, {"bf16": 0.5}, 1e11, 0.5, 1e12, 1 << 20, 1000.0)

    def test_compute_bound(self):
        self.assertAlmostEqual(gemm_ns(self.part(), Gemm("bf16", "bf16", "bf16", 1000, 1000, 1000)), 1000 + 4e6)

    def test_only_what_is_warm_and_fits_reads_from_the_cache(self):
        self.assertEqual(byte_rate(self.part(), 1 << 20, "warm"), 1e12)
        self.assertEqual(byte_rate(self.part(), 1 << 20, "cold"), 5e10)
        self.assertEqual(byte_rate(self.part(), (1 << 20) + 1, "warm"), 5e10)

    def test_the_fit_finds_the_parameters_that_made_the_samples(self):
        true = Part({"bf16": 1e15}, {"bf16": 0.75}, 3e12, 0.85, 7e12, LLC, 3000.0)
        cases = [Gemm("bf16", "bf16", "bf16", m, n, n) for m in (1, 64, 4096) for n in (1024, 4096, 8192)]
        start = Part({"bf16": 1e15}, {"bf16": 0.5}, 3e12, 0.5, 7e12, LLC, 500.0)
        result = fit(start, [(c, gemm_ns(true, c)) for c in cases], ("bf16",))
        self.assertIsInstance(result, Fit)
        self.assertLess(result.rms_log, 0.01)
        self.assertAlmostEqual(result.part.efficiencies["bf16"], 0.75, delta=0.011)
        self.assertAlmostEqual(result.part.memory_efficiency, 0.85, delta=0.011)


class Output(unittest.TestCase):
    outputs = build.outputs()

    def test_is_the_same_every_time(self):
        self.assertEqual(self.outputs, build.outputs())

    def test_names_a_source_for_every_value(self):
        for name, text in self.outputs.items():
            document = json.loads(text)
            for row in document.get("values", []) + document.get("rates", []) + document.get("collectives", []):
                self.assertIn(row["source"], document["sources"], name)
                self.assertGreater(row["uncertainty"], 0)

    def test_states_the_error_of_the_fit(self):
        document = json.loads(self.outputs["suites/baselines/h100-sxm5-80gb.json"])
        self.assertEqual(set(document["model"]["fit"]), {"n", "rms_log", "worst_id", "worst_log"})


class Devices(unittest.TestCase):
    document = json.loads((ROOT / "results_schema/devices.json").read_text(encoding="utf-8"))
    devices = {d["id"]: d for d in document["devices"]}

    def facts(self, node):
        """Every object that states an origin."""
        if isinstance(node, dict):
            if {"sources", "derived", "unsourced"} & set(node):
                yield node
            node = node.values()
        for child in node if not isinstance(node, (str, int, float, type(None))) else ():
            yield from self.facts(child)

    def peak(self, device, type_name):
        return [p["ops_per_s"] for p in self.devices[device]["peaks"] if p["type"] == type_name and p["unit"] == "matrix"]

    def test_every_source_is_listed_and_every_listed_source_is_used(self):
        used = {key for fact in self.facts(self.document["devices"]) for key in fact.get("sources", ())}
        self.assertEqual(used, set(self.document["sources"]))

    def test_what_is_unsourced_has_no_source(self):
        for fact in self.facts(self.document["devices"]):
            self.assertEqual("unsourced" in fact, "sources" not in fact and "derived" not in fact, fact)

    def test_peaks_are_dense_and_unknown_is_null(self):
        self.assertEqual(len(self.devices), 22)
        self.assertEqual(self.peak("h100-sxm5-80gb", "i8"), [1978900000000000])
        self.assertEqual(self.peak("mi300x-192gb", "f8"), [2614900000000000])
        self.assertEqual(self.peak("gaudi2-96gb", "i8"), [None])
        for device in self.devices.values():
            half = max(p["ops_per_s"] or 0 for p in device["peaks"] if p["type"] in ("f16", "bf16"))
            for p in device["peaks"]:
                if p["type"] in ("i8", "f8") and p["ops_per_s"]:  # twice the 16-bit rate when dense, four times when not
                    # GeForce halves its 16-bit rate when it accumulates in f32, its i8 rate stays
                    limit = 4.001 if device["name"].startswith("GeForce") else 2.03
                    self.assertLessEqual(p["ops_per_s"], limit * half, device["id"])


if __name__ == "__main__":
    unittest.main()

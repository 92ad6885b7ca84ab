# SPDX-License-Identifier: Apache-2.0
"""The main job on the real CPU backend: measure, verify, normalize, write; and what happens when it is disturbed."""
import json
import os
import signal
import subprocess
import time
import unittest

import jsonschema
from harness import SHORT_SUITE, SOURCE, SitsTest

# long enough to be hit in the middle
LONG_SUITE = {
    **SHORT_SUITE, "name": "long",
    "defaults": {"min_samples": 2000, "max_samples": 2000, "budget": "4s"},
    "cases": [{"id": f"stream/copy/f32/{size}mib/warm"} for size in (1, 2, 4, 8)],
}


def no_constant(token):
    raise ValueError(f"not JSON: {token}")


class RunTest(SitsTest):
    def run_short(self, *arguments, suite=SHORT_SUITE, **options):
        path = self.write("suite.json", suite)
        return self.sits("run", "--suite", path, *arguments, **options)

    def assert_valid(self, report):
        schema = json.loads((SOURCE / "results_schema" / "report.schema.json").read_text())
        jsonschema.Draft7Validator(schema).validate(report)

    def test_a_run_is_verified_bounded_normalized_and_valid(self):
        result = self.run_short("-o", "report.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.report()
        self.assert_valid(report)
        self.assertEqual([row["case"]["id"] for row in report["results"]],
                         [case["id"] for case in SHORT_SUITE["cases"]])
        for row in report["results"]:
            self.assertEqual(row["status"], "ok")
            self.assertEqual(row["provenance"], "measured")
            self.assertGreater(row["verification"]["checked"], 0)
            self.assertEqual(row["verification"]["mismatches"], 0)
            latency = row["timing"]["device_ns"]
            self.assertGreaterEqual(latency["n"], 20)
            self.assertLessEqual(latency["min"], latency["median"])
            low, high = latency["median_ci95"]
            self.assertLessEqual(low, latency["median"])
            self.assertLessEqual(latency["median"], high)
            for entry in row["normalized"]:
                self.assertTrue((entry["ratio"] is None) != (not entry.get("reason")), entry)
        gemm = report["results"][0]
        self.assertEqual([entry["baseline"] for entry in gemm["normalized"]],
                         ["h100-sxm5-80gb", "h100-pcie-80gb"])
        for entry in gemm["normalized"]:
            self.assertAlmostEqual(entry["ratio"], gemm["timing"]["device_ns"]["median"] / entry["value_ns"], places=9)
        self.assertFalse((self.folder / "report.json.journal").exists())
        self.assertTrue((self.folder / "report.samples").exists())

    def test_the_table_names_every_case_and_the_report(self):
        result = self.run_short("-o", "report.json")
        for case in SHORT_SUITE["cases"]:
            self.assertIn(case["id"], result.stdout)
        self.assertIn("report.json", result.stdout)
        self.assertNotIn("\x1b", result.stdout)

    def test_standard_output_carries_the_document_alone(self):
        result = self.run_short("-o", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_valid(json.loads(result.stdout, parse_constant=no_constant))

    def test_rerendering_and_normalizing_need_no_machine(self):
        self.run_short("-o", "report.json")
        for form in ("table", "markdown", "csv", "json"):
            again = self.sits("report", "report.json", "--format", form)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertIn("f32.f32.f32/m128n128k128/warm", again.stdout)
        normalized = self.sits("normalize", "report.json", "--baseline", "h100-pcie-80gb")
        self.assertEqual(normalized.returncode, 0, normalized.stderr)
        rows = json.loads(normalized.stdout)["results"]
        self.assertEqual([entry["baseline"] for entry in rows[0]["normalized"]], ["h100-pcie-80gb"])
        self.assertEqual(self.sits("validate", "report.json").returncode, 0)

    def test_merging_two_reports_keeps_every_row(self):
        self.run_short("-o", "a.json")
        self.run_short("-o", "b.json")
        merged = self.sits("merge", "a.json", "b.json")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        document = json.loads(merged.stdout)
        self.assert_valid(document)
        self.assertEqual(len(document["results"]), 2 * len(SHORT_SUITE["cases"]))

    def test_each_run_is_a_row_of_its_own_with_the_spread_between(self):
        result = self.run_short("-o", "report.json", "--runs", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = self.report()["results"]
        self.assertEqual([row["run_index"] for row in rows], [0, 0, 1, 1])
        for row in rows:
            self.assertIsNotNone(row["timing"]["between_run_spread"])

    def test_shuffle_by_seed_repeats(self):
        orders = []
        for _ in range(2):
            result = self.sits("run", "--suite", "quick", "--shuffle", "--seed", "7", "--dry-run")
            self.assertEqual(result.returncode, 0, result.stderr)
            orders.append(result.stdout)
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], self.sits("run", "--suite", "quick", "--dry-run").stdout)

    def test_the_reproduce_command_runs_the_same_case(self):
        self.run_short("-o", "report.json")
        words = self.report()["results"][0]["reproduce"].split()
        self.assertEqual(words[0], "sits")
        again = self.sits(*words[1:], "-o", "again.json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual([row["case"]["id"] for row in self.report("again.json")["results"]],
                         [SHORT_SUITE["cases"][0]["id"]])

    def test_a_provider_can_be_pinned(self):
        result = self.run_short("-o", "report.json", "--provider", "sits", "--filter", "gemm")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(self.report()["results"][0]["provider"].startswith("sits"))

    def test_an_unknown_provider_is_unsupported_and_nothing_ran(self):
        result = self.run_short("-o", "report.json", "--provider", "mkl9", "--filter", "gemm")
        self.assertEqual(result.returncode, 5)
        row = self.report()["results"][0]
        self.assertEqual(row["status"], "unsupported")
        self.assertIn("mkl9", row["reason"]["message"])

    def test_a_case_that_does_not_fit_is_skipped_with_needed_and_available(self):
        suite = {**SHORT_SUITE, "cases": [{"id": "stream/copy/f32/4tib/cold"}, *SHORT_SUITE["cases"]]}
        result = self.run_short("-o", "report.json", suite=suite)
        self.assertEqual(result.returncode, 0, result.stderr)
        row = self.report()["results"][0]
        self.assertEqual(row["status"], "skipped")
        self.assertIn("available", row["reason"]["message"])
        self.assertIsNone(row["timing"])

    def test_a_case_past_its_budget_is_skipped(self):
        suite = {**SHORT_SUITE, "cases": [{"id": "gemm/none/f32.f32.f32/m32768n32768k32768/warm"},
                                          *SHORT_SUITE["cases"]]}
        result = self.run_short("-o", "report.json", "--budget", "2s", suite=suite)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.report()["results"][0]["status"], "skipped")

    def test_a_german_locale_changes_no_byte_of_a_number(self):
        result = self.run_short("-o", "report.json", env=self.environment(LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_valid(self.report())
        table = self.sits("report", "report.json", "--format", "csv", env=self.environment(LC_ALL="de_DE.UTF-8"))
        self.assertEqual(table.stdout, self.sits("report", "report.json", "--format", "csv").stdout)

    def test_an_environment_that_changes_results_is_recorded_and_flagged(self):
        env = self.environment(OPENBLAS_CORETYPE="Haswell", SECRET_TOKEN="hunter2")
        result = self.run_short("-o", "report.json", env=env)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.folder / "report.json").read_text()
        self.assertNotIn("hunter2", text)
        self.assertEqual(self.report()["host"]["env"]["OPENBLAS_CORETYPE"], "Haswell")
        self.assertIn("env_override", self.report()["results"][0]["flags"])

    def test_anonymized_reports_name_no_machine(self):
        self.run_short("-o", "report.json", "--anonymize")
        self.assertNotIn(os.uname().nodename, {self.report()["host"]["hostname"]})
        self.assertTrue(self.report()["host"]["hostname"].startswith("anon-"))

    def test_force_replaces_an_existing_report(self):
        self.write("report.json", "old")
        result = self.run_short("-o", "report.json", "--force")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.report()["schema"], "sits.report")


class DisturbedTest(SitsTest):
    def start_long(self, *arguments):
        path = self.write("suite.json", LONG_SUITE)
        return self.start("run", "--suite", path, "-o", "report.json", "--budget", "2s", *arguments)

    def wait_for_rows(self, count):
        journal = self.folder / "report.json.journal"
        for _ in range(600):
            if journal.exists() and journal.read_bytes().count(b"\n") > count:
                return
            time.sleep(0.05)
        self.fail("the journal did not grow")

    def finish(self, process):
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode()

    def resume(self):
        return self.sits("run", "--suite", self.folder / "suite.json", "-o", "report.json", "--budget", "2s",
                         "--resume")

    def assert_complete(self):
        rows = self.report()["results"]
        self.assertEqual([row["case"]["id"] for row in rows], [case["id"] for case in LONG_SUITE["cases"]])
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertEqual([row["order_index"] for row in rows], list(range(len(rows))))

    def test_interrupt_writes_what_was_measured_and_resume_completes_it(self):
        process = self.start_long()
        self.wait_for_rows(1)
        process.send_signal(signal.SIGINT)
        code, _, err = self.finish(process)
        self.assertEqual(code, 130, err)
        report = self.report()
        self.assertTrue(report["run"]["interrupted"])
        statuses = [row["status"] for row in report["results"]]
        self.assertEqual(statuses[0], "ok")
        self.assertEqual(statuses[-1], "interrupted")
        result = self.resume()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_complete()
        self.assertEqual(self.report()["run"]["id"], report["run"]["id"])

    def test_a_killed_supervisor_loses_nothing_and_leaves_no_worker(self):
        process = self.start_long()
        self.wait_for_rows(1)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
        process.kill()
        self.finish(process)
        self.assertFalse((self.folder / "report.json").exists())
        for child in children.stdout.split():
            for _ in range(100):
                if not os.path.exists(f"/proc/{child}"):
                    break
                time.sleep(0.05)
            self.assertFalse(os.path.exists(f"/proc/{child}"), "a worker outlived its supervisor")
        result = self.resume()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_complete()

    def test_a_killed_worker_costs_one_case(self):
        process = self.start_long()
        self.wait_for_rows(1)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
        for child in children.stdout.split():
            os.kill(int(child), signal.SIGKILL)
        code, _, err = self.finish(process)
        self.assertEqual(code, 4, err)
        statuses = [row["status"] for row in self.report()["results"]]
        self.assertEqual(statuses.count("crashed"), 1)
        self.assertEqual(statuses.count("ok"), len(statuses) - 1)

    def test_a_journal_in_the_way_is_refused(self):
        process = self.start_long()
        self.wait_for_rows(1)
        process.kill()
        self.finish(process)
        result = self.sits("run", "--suite", self.folder / "suite.json", "-o", "report.json", "--budget", "2s")
        self.assert_usage_error(result, "journal", "--resume", "--force")

    def test_resuming_another_plan_is_refused(self):
        process = self.start_long()
        self.wait_for_rows(1)
        process.kill()
        self.finish(process)
        result = self.sits("run", "--suite", self.folder / "suite.json", "-o", "report.json", "--budget", "3s",
                           "--resume")
        self.assert_usage_error(result, "plan")

    def test_two_runs_do_not_spoil_each_other(self):
        first = self.start_long()
        self.wait_for_rows(0)
        result = self.sits("run", "--suite", self.folder / "suite.json", "-o", "second.json")
        first.send_signal(signal.SIGINT)
        self.finish(first)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--no-lock", result.stderr)
        self.assertFalse((self.folder / "second.json").exists())

    def test_a_report_that_cannot_be_written_leaves_the_journal(self):
        process = self.start_long()
        self.wait_for_rows(1)
        (self.folder / "report.json").mkdir()
        code, _, err = self.finish(process)
        self.assertEqual(code, 4, err)
        self.assertIn("journal", err)
        self.assertTrue((self.folder / "report.json.journal").exists())
        (self.folder / "report.json").rmdir()
        result = self.resume()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_complete()

    def test_a_full_standard_output_exits_4(self):
        path = self.write("suite.json", SHORT_SUITE)
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run(
                [str(os.environ["SITS_BUILD"]) + "/bin/sits", "run", "--suite", path, "-o", "-"], cwd=self.folder,
                env=self.environment(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("journal", result.stderr)


if __name__ == "__main__":
    unittest.main()

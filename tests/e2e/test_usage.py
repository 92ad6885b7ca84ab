# SPDX-License-Identifier: Apache-2.0
"""Whatever is wrong with a command line or an input file is said in one line, before any device is touched."""
import json
import os
import unittest

from harness import SHORT_SUITE, SitsTest


class UsageTest(SitsTest):
    def test_no_command_lists_the_commands(self):
        self.assert_usage_error(self.sits(), "run", "list", "devices", "--help")

    def test_unknown_command_suggests_the_nearest(self):
        self.assert_usage_error(self.sits("lst"), "'lst'", "did you mean 'list'")

    def test_unknown_option_suggests_the_nearest(self):
        self.assert_usage_error(self.sits("run", "--siute", "quick"), "'--siute'", "did you mean '--suite'")

    def test_unknown_suite_suggests_the_nearest(self):
        self.assert_usage_error(self.sits("run", "--suite", "quik"), "'quik'", "did you mean 'quick'")

    def test_filter_that_matches_nothing_touches_no_file(self):
        result = self.sits("run", "--filter", "no/such/case", "-o", "out.json")
        self.assert_usage_error(result, "'no/such/case'", "matches 0 of")
        self.assertEqual(os.listdir(self.folder), [])

    def test_filter_that_is_no_expression(self):
        self.assert_usage_error(self.sits("run", "--filter", "gemm/("), "'gemm/('", "regular expression")

    def test_zero_runs_are_refused(self):
        self.assert_usage_error(self.sits("run", "--runs", "0"), "--runs", "0")

    def test_runs_that_are_no_number_are_refused(self):
        self.assert_usage_error(self.sits("run", "--runs", "abc"), "--runs", "abc")

    def test_zero_threads_are_refused(self):
        self.assert_usage_error(self.sits("run", "--threads", "0"), "--threads", "0")

    def test_more_threads_than_processors_are_refused(self):
        self.assert_usage_error(self.sits("run", "--threads", "60000", "-o", "x.json"), "threads", "60000")

    def test_unknown_processor_list_is_refused(self):
        self.assert_usage_error(self.sits("run", "--cpus", "0-x", "-o", "x.json"), "0-x")

    def test_budget_needs_a_unit(self):
        self.assert_usage_error(self.sits("run", "--budget", "60"), "--budget", "60")

    def test_unknown_backend_suggests_the_nearest(self):
        self.assert_usage_error(self.sits("run", "--backend", "cda"), "'cda'", "did you mean 'cuda'")

    def test_device_index_that_does_not_exist(self):
        self.assert_usage_error(self.sits("run", "--device", "cpu:7"), "'cpu:7'", "cpu:0")

    def test_device_of_another_backend_contradicts(self):
        self.assert_usage_error(self.sits("run", "--device", "cpu:0", "--backend", "cuda"), "contradicts")

    def test_known_backend_without_its_hardware_ran_nothing(self):
        self.assert_error(self.sits("run", "--device", "hip:0"), 5, "hip:0")

    def test_unknown_baseline_is_exit_6(self):
        self.assert_error(self.sits("run", "--baseline", "h100-sxm5"), 6, "'h100-sxm5'", "did you mean")

    def test_unknown_baseline_kind(self):
        self.assert_usage_error(self.sits("run", "--baseline-kind", "guessed"), "'guessed'", "modelled")

    def test_case_and_suite_contradict(self):
        self.assert_usage_error(self.sits("run", "--suite", "quick", "--case", "peak/fma/f32"), "contradict")

    def test_malformed_case_id_names_the_part(self):
        self.assert_usage_error(self.sits("run", "--case", "gemm/bias_silo/f16.f16.f16/m1n1k1/warm"), "bias_silo",
                                "bias_silu")

    def test_resume_needs_an_output(self):
        self.assert_usage_error(self.sits("run", "--resume"), "--resume", "-o")

    def test_resume_without_a_journal(self):
        self.assert_usage_error(self.sits("run", "--resume", "-o", "none.json"), "none")

    def test_resume_and_force_contradict(self):
        self.assert_usage_error(self.sits("run", "--resume", "--force", "-o", "x.json"), "contradict")

    def test_existing_output_is_refused_and_kept(self):
        self.write("out.json", "precious")
        self.assert_usage_error(self.sits("run", "-o", "out.json"), "out.json", "--force")
        self.assertEqual((self.folder / "out.json").read_text(), "precious")

    def test_missing_output_folder(self):
        self.assert_usage_error(self.sits("run", "-o", "none/out.json"), "none", "mkdir")

    def test_output_that_is_a_folder(self):
        (self.folder / "out.json").mkdir()
        self.assert_usage_error(self.sits("run", "-o", "out.json"), "out.json", "folder")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_unwritable_folder(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o500)
        self.assert_usage_error(self.sits("run", "-o", "closed/out.json"), "closed")

    def test_missing_plugin(self):
        self.assert_usage_error(self.sits("run", "--plugin", "none.so"), "none.so")

    def test_plugin_that_is_a_text_file(self):
        self.write("libsits_backend_x.so", "hello")
        self.assert_usage_error(self.sits("run", "--plugin", "libsits_backend_x.so"), "libsits_backend_x.so", "ELF")

    def test_report_of_unknown_format(self):
        self.assert_usage_error(self.sits("report", "x.json", "--format", "tabel"), "'tabel'", "did you mean 'table'")

    def test_missing_report_is_exit_6(self):
        self.assert_error(self.sits("report", "none.json"), 6, "none.json")

    def test_unknown_schema(self):
        self.assert_usage_error(self.sits("schema", "reprot"), "'reprot'", "did you mean 'report'")

    def test_every_help_is_on_standard_output_and_ends_well(self):
        for command in ([], ["run"], ["list"], ["devices"], ["explain"], ["report"], ["normalize"], ["merge"],
                        ["validate"], ["schema"], ["version"]):
            result = self.sits(*command, "--help")
            self.assertEqual(result.returncode, 0, command)
            self.assertIn("--help", result.stdout)
            self.assertNotIn("worker", result.stdout)


class SuiteFileTest(SitsTest):
    def suite_error(self, suite, *words):
        path = self.write("mine.json", suite)
        self.assert_usage_error(self.sits("run", "--suite", path), *words)

    def test_syntax_error_names_line_and_column(self):
        self.suite_error('{"schema": "sits.suite",\n  "name" "x"}', "2:")

    def test_empty_file(self):
        self.suite_error("", "mine.json")

    def test_unknown_key_suggests_the_nearest(self):
        suite = json.loads(json.dumps(SHORT_SUITE))
        suite["defaults"]["min_sample"] = 3
        self.suite_error(suite, "min_sample", "min_samples")

    def test_empty_case_list(self):
        self.suite_error({**SHORT_SUITE, "cases": []}, "cases")

    def test_zero_samples(self):
        self.suite_error({**SHORT_SUITE, "defaults": {"min_samples": 0}}, "min_samples", "0")

    def test_duplicate_case(self):
        self.suite_error({**SHORT_SUITE, "cases": [{"id": "peak/fma/f32"}, {"id": "peak/fma/f32"}]}, "peak/fma/f32")

    def test_size_that_overflows(self):
        entry = {"id": "gemm/none/f32.f32.f32/m4294967296n4294967296k4294967296/warm"}
        self.suite_error({**SHORT_SUITE, "cases": [entry]}, "4294967296")

    def test_negative_size(self):
        self.suite_error({**SHORT_SUITE, "cases": [{"op": "gemm", "variant": "none", "types": "f32.f32.f32", "m": -1, "n": 1, "k": 1,
                                                  "mode": "warm"}]}, "-1")

    def test_name_that_is_not_utf8(self):
        path = self.folder / "mine.json"
        path.write_bytes(json.dumps(SHORT_SUITE).encode().replace(b'"short"', b'"sh\xff\xfert"'))
        result = self.sits("run", "--suite", path)
        self.assert_usage_error(result, "mine.json")

    def test_deeply_nested_document(self):
        self.suite_error("[" * 100000 + "]" * 100000, "mine.json")


if __name__ == "__main__":
    unittest.main()

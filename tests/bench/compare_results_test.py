"""Tests bench/compare_results.py and bench/results_to_csv.py as programs: exit codes and messages.

Usage: compare_results_test.py SOURCE_DIRECTORY
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
HEADER = "benchmark,scene,mode,lanes,threads,metric,unit,value,peer"
ROW = "bench_scenes,stack20,float,8,1,tick_median,ms,0.100,takt"


def run(script, *arguments):
    return subprocess.run([sys.executable, str(ROOT / "bench" / script), *map(str, arguments)],
                          capture_output=True, text=True, check=False)


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def write(self, name, *lines):
        path = pathlib.Path(self.directory.name) / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    def results(self, name, *rows):
        return self.write(name, "# a machine", HEADER, *rows)


class CompareTest(ScriptTest):
    def compare(self, row_a, row_b):
        return run("compare_results.py", self.results("a.csv", row_a), self.results("b.csv", row_b))

    def test_a_planted_slow_row_fails_and_is_named(self):
        slow = self.compare(ROW, ROW.replace("0.100", "0.1051"))
        self.assertEqual(slow.returncode, 1, slow.stderr)
        self.assertRegex(slow.stdout, r"stack20 .* 1\.051 +SLOWER\n")
        self.assertIn("1 slower by more than 5 %", slow.stdout)

    def test_five_percent_and_less_pass(self):
        for value in ("0.105", "0.100", "0.02"):
            result = self.compare(ROW, ROW.replace("0.100", value))
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_slow_row_among_fast_ones_fails(self):
        other = ROW.replace("stack20", "cubes")
        a = self.results("a.csv", ROW, other)
        b = self.results("b.csv", other.replace("0.100", "0.2"), ROW.replace("0.100", "0.01"))
        self.assertEqual(run("compare_results.py", a, b).returncode, 1)

    def test_instructions_are_costs_lengths_and_counts_are_not(self):
        count = ROW.replace("tick_median,ms", "instructions,instructions").replace("0.100", "1000")
        self.assertEqual(self.compare(count, count.replace("1000", "1060")).returncode, 1)
        gap = ROW.replace("tick_median,ms", "gap,mm")
        a = self.results("a.csv", ROW, gap)
        b = self.results("b.csv", ROW, gap.replace("0.100", "5"))
        self.assertEqual(run("compare_results.py", a, b).returncode, 0)

    def test_noise_and_other_engines_are_printed_but_pass(self):
        for row in (ROW.replace("tick_median", "tick_p99"), ROW.replace(",takt", ",bullet-1x10")):
            a = self.results("a.csv", ROW, row)
            b = self.results("b.csv", ROW, row.replace("0.100", "9"))
            result = run("compare_results.py", a, b)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("slower, not checked", result.stdout)

    def test_files_without_a_common_row_are_bad_input(self):
        result = self.compare(ROW, ROW.replace("stack20", "cubes"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("no cost of Takt in common", result.stderr)

    def test_rows_of_one_file_are_counted(self):
        a = self.results("a.csv", ROW, ROW.replace("stack20", "cubes"))
        result = run("compare_results.py", a, self.results("b.csv", ROW))
        self.assertEqual(result.returncode, 0)
        self.assertIn(f"1 only in {a}", result.stdout)

    def test_bad_files_are_refused_with_file_line_and_remedy(self):
        good = self.results("good.csv", ROW)
        cases = [
            ("0.100", "fast", "no number", "decimal number"),
            ("0.100", "nan", "no number", "decimal number"),
            ("0.100", "1e999", "not finite", "decimal number"),
            ("0.100", "0", "not above 0", "measure again"),
            ("0.100", "-3", "not above 0", "measure again"),
            ("0.100", "", "empty", "write '-'"),
            ("0.100", " 0.1", "padded", "no blanks"),
            (",ms,", ",parsec,", "unit 'parsec' is unknown", "write one of"),
            (",float,", ",double,", "mode 'double' is unknown", "float, fixed or -"),
            (",8,1,", ",wide,1,", "lanes 'wide'", "auto or -"),
            (",8,1,", ",8,0,", "threads '0'", "from 1 or -"),
            (",takt", "", "8 columns instead of 9", HEADER),
            (",takt", ",takt,x", "10 columns instead of 9", HEADER),
            ("bench_scenes", '"bench_scenes', "not a CSV line", "quotation mark"),
        ]
        for old, new, complaint, remedy in cases:
            with self.subTest(complaint=complaint, new=new):
                bad = self.results("bad.csv", ROW.replace("stack20", "cubes"), ROW.replace(old, new, 1))
                for arguments in ((bad, good), (good, bad)):
                    result = run("compare_results.py", *arguments)
                    self.assertEqual(result.returncode, 2, result.stdout)
                    self.assertIn(f"{bad}:4: ", result.stderr)
                    self.assertIn(complaint, result.stderr)
                    self.assertIn(remedy, result.stderr)
                    self.assertEqual(result.stdout, "")

    def test_a_repeated_row_names_both_lines(self):
        result = run("compare_results.py", self.results("good.csv", ROW), self.results("bad.csv", ROW, ROW))
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"bad\.csv:4: repeats line 3; keep one")

    def test_files_without_header_or_rows_are_refused(self):
        good = self.results("good.csv", ROW)
        for lines, complaint in (([ROW], r"bad\.csv:1: the first line is not the header; write benchmark,"),
                                 ([], r"bad\.csv:1: the file has no header; write benchmark,"),
                                 ([HEADER], r"bad\.csv:1: the file has no results; run ./dev bench --csv")):
            result = run("compare_results.py", good, self.write("bad.csv", *lines))
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, complaint)

    def test_missing_and_binary_files_and_arguments_are_refused(self):
        good = self.results("good.csv", ROW)
        missing = run("compare_results.py", good, self.directory.name + "/missing.csv")
        self.assertEqual(missing.returncode, 2)
        self.assertRegex(missing.stderr, r"missing\.csv: No such file or directory; name a file")
        binary = pathlib.Path(self.directory.name) / "binary.csv"
        binary.write_bytes(b"\xff\xfe\x00")
        result = run("compare_results.py", binary, good)
        self.assertEqual(result.returncode, 2)
        self.assertIn("not UTF-8", result.stderr)
        self.assertEqual(run("compare_results.py", good).returncode, 2)


class CommittedResultsTest(ScriptTest):
    def test_every_committed_file_equals_itself(self):
        files = sorted((ROOT / "bench" / "results").glob("*.csv"))
        self.assertGreaterEqual(len(files), 4)
        for file in files:
            result = run("compare_results.py", file, file)
            self.assertEqual(result.returncode, 0, result.stderr)


class ConvertTest(ScriptTest):
    TABLE = ("3 ticks a row; ms of the processor.", "",
             "| scene | engine | numbers | lanes | threads | bodies | ms/tick median | p99 | depth mean | p99 | max | gap | digest |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
             "| stack20 | Takt | float | 8 | 1 | 21 | 0.0308 | 0.0310 | 0.66 | 2.11 | 2.23 | | f3b3bf1d9b38db5b |",
             "| stack20 | Bullet 1x10 | float | 1 | 1 | 21 | 0.05 | 0.06 | 1.39 | 26.8 | 26.88 | | |")

    def test_a_printed_table_becomes_rows_that_compare(self):
        printed = self.write("printed.txt", *self.TABLE)
        result = run("results_to_csv.py", f"bench_scenes={printed}")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = result.stdout.splitlines()
        self.assertEqual(rows[1], HEADER)
        self.assertEqual(rows[2:8], [
            "bench_scenes,stack20,float,8,1,bodies,count,21,takt",
            "bench_scenes,stack20,float,8,1,tick_median,ms,0.0308,takt",
            "bench_scenes,stack20,float,8,1,tick_p99,ms,0.0310,takt",
            "bench_scenes,stack20,float,8,1,depth_mean,mm,0.66,takt",
            "bench_scenes,stack20,float,8,1,depth_p99,mm,2.11,takt",
            "bench_scenes,stack20,float,8,1,depth_max,mm,2.23,takt"])
        self.assertIn("bench_scenes,stack20,float,1,1,tick_median,ms,0.05,bullet-1x10", rows)
        converted = self.write("converted.csv", *rows)
        self.assertEqual(run("compare_results.py", converted, converted).returncode, 0)

    def test_google_benchmark_becomes_rows(self):
        printed = self.write("kernels.csv", "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,"
                             "error_occurred,error_message", '"manifold<float>/1",100,12.5,12.25,ns,,,,,')
        result = run("results_to_csv.py", f"bench_kernels={printed}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("bench_kernels,manifold<float>/1,-,-,-,cpu_time,ns,12.25,takt", result.stdout)

    def test_unknown_columns_and_empty_input_are_refused(self):
        odd = self.write("odd.txt", *(line.replace("gap", "mood") for line in self.TABLE))
        result = run("results_to_csv.py", f"bench_scenes={odd}")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"{odd}:3: column 'mood' is unknown; add it to METRICS", result.stderr)
        empty = self.write("empty.txt", "nothing")
        self.assertIn("no table in the input", run("results_to_csv.py", f"bench_scenes={empty}").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

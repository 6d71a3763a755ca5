#!/usr/bin/env python3
"""Figures of a measured device: the tables of docs/validation/device.md and the rows of outside_figures.csv are those of
the data files, and the programs say what they need.

usage: device_figures_test.py SOURCES

With KB_UPDATE_DOCS set in the environment the tables of the page are written anew.
"""

import csv
import glob
import os
import subprocess
import sys
import tempfile
import unittest

SOURCES = sys.argv.pop(1)
VALIDATION = f"{SOURCES}/evaluations/validation"
FOLDER = f"{VALIDATION}/device"
PAGE = f"{SOURCES}/docs/validation/device.md"
DATA = f"{FOLDER}/nvidia_h100_80gb_hbm3_2026-11-27_"
MEMORY, ENERGY = DATA + "hbm_and_kernels.json", DATA + "energy.json"

sys.dont_write_bytecode = True
sys.path.insert(0, FOLDER)
import tables  # noqa: E402


def run(program, *arguments, modules=None):
    """modules: a folder whose Python modules come before all others."""
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    if modules:
        environment["PYTHONPATH"] = modules
    return subprocess.run([sys.executable, f"{FOLDER}/{program}", *arguments], capture_output=True, text=True,
                          env=environment, timeout=60)


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def outside_rows():
    return [row for row in read_csv(f"{VALIDATION}/outside_figures.csv") if row["source"] == "NVIDIA H100"]


class DeviceFigures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = tables.make_device(MEMORY, ENERGY)

    def test_tables_of_the_page(self):
        with open(PAGE) as file:
            page = file.read()
        for name, make in tables.TABLES.items():
            begin, end = f"<!-- {name} of the device -->\n", "<!-- end -->\n"
            self.assertEqual(page.count(begin), 1, begin)
            start = page.index(begin) + len(begin)
            stop = page.index(end, start)
            if "KB_UPDATE_DOCS" in os.environ:
                page = page[:start] + make(self.device) + page[stop:]
            else:
                self.assertEqual(page[start:stop], make(self.device), f"{PAGE}: run this test with KB_UPDATE_DOCS=1")
        if "KB_UPDATE_DOCS" in os.environ:
            with open(PAGE, "w") as file:
                file.write(page)

    def test_outside_figures_are_those_of_the_data(self):
        columns = ("command", "scenario", "parameter", "parameter_value", "figure", "value", "unit")
        written = [tuple(row[column] for column in columns) for row in outside_rows()]
        made = [(row[0], f"HBM3 {row[1]}", *row[2:]) for row in tables.outside_figures(self.device)]
        made += tables.outside_products(self.device)
        self.assertEqual(written, made)

    # E-101: a row that has come into its band is no longer one that misses it.
    def test_rows_that_miss_their_band_are_outside(self):
        verdicts = {(row["scenario"], float(row["parameter_value"]), row["quantity"]): row["verdict"]
                    for row in read_csv(f"{VALIDATION}/reference/validation.csv")}
        for row in outside_rows():
            verdict = verdicts[row["scenario"], float(row["parameter_value"]), row["figure"]]
            self.assertEqual(row["misses"] == "yes", verdict.startswith("misses its band: "), row)
            self.assertTrue(row["misses"] == "" or row["deviation"], f"no reason: {row}")

    # Each from two figures of the data files by hand.
    def test_worked_out_by_hand(self):
        made = {name: make(self.device) for name, make in tables.TABLES.items()}
        self.assertAlmostEqual(self.device.peak_gbs, 3352.32)
        for name, row in (
                ("streams", "| read | 3027 | 90.3 | 3079 | 91.8 |"),
                ("random", "| 64 | 1995 | 65.9 | 31.2 | 1971 | 1574 | 56.4 |"),
                ("pitch", "| 4096 | 1966 | 58.7 | 98.5 |"),
                ("loaded latency", "| 1842 | 54.9 | 484.8 | 1.371 | 131.3 |"),
                ("matmul", "| 302.9 (80*) |"),  # 2 x 2048 x 14336 x 4096 / 989e6 = 243.2 us
                ("matmul", "| 8b_down | 14336 x 4096 | 45.4 (77) |"),  # 2 x 14336 x 4096 / 3352320 = 35.03 us
                ("decode attention", "| 8b | 32 | 4096 | 536.87 | 183.2 | 2931 | 87.4 |"),
                ("decode attention", "| 8b | 1 | 1024 | 4.19 | 8.3 | 505.1 | in the L2 |"),  # 12 x 4.19 < 52.4
                ("prefill attention", "| 8b | 2048 | 85.4 | 402.2 | 40.7 |"),  # 34.36 GFLOP
                ("energy", "| hbm_sequential_read | 568.9 | 441.7 | 3079 GB/s | 17.9 pJ/bit | 1980 |"),
                ("energy", "| matmul_bf16_8192 | 697.9 | 570.7 | 674.7 TFLOP/s | 0.846 pJ/FLOP | 1425 |"),
                ("parts of energy", "| 11.1 |"),  # 17.93 - 6.83
        ):
            self.assertIn(row, made[name])

    def test_data_files_name_program_and_day(self):
        files = sorted(glob.glob(f"{FOLDER}/*.json"))
        self.assertEqual(files, [ENERGY, MEMORY])
        for path, program in ((ENERGY, "energy.py"), (MEMORY, "hbm_and_kernels.py")):
            data = tables.read(path, program)
            self.assertIn(data["when"], path)
            self.assertIn(data["device"]["name"].lower().replace(" ", "_"), path)


class Programs(unittest.TestCase):
    def test_help_needs_no_gpu(self):
        for program in ("hbm_and_kernels.py", "energy.py", "tables.py"):
            done = run(program, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            self.assertIn("usage: " + program, done.stdout)

    def fails(self, program, modules, text):
        with tempfile.TemporaryDirectory() as folder:
            for name, source in modules.items():
                with open(f"{folder}/{name}.py", "w") as file:
                    file.write(source)
            done = run(program, modules=folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_what_is_missing_is_named(self):
        absent = "raise ImportError('there is none')\n"
        runtime = ("class CUDARuntimeError(Exception): pass\n"
                   "class runtime:\n"
                   "    CUDARuntimeError = CUDARuntimeError\n"
                   "    @staticmethod\n"
                   "    def getDeviceCount(): {}\n"
                   "class cuda: runtime = runtime\n")
        for program in ("hbm_and_kernels.py", "energy.py"):
            self.fails(program, {"cupy": absent}, "needs cupy, for CUDA 13 the package cupy-cuda13x: there is none")
            self.fails(program, {"cupy": runtime.format("raise CUDARuntimeError('no driver')")}, "finds no GPU: no driver")
            self.fails(program, {"cupy": runtime.format("return 0")}, "finds no GPU")
        found = runtime.format("return 1")
        self.fails("energy.py", {"cupy": found, "torch": absent}, "needs torch with CUDA: there is none")
        usable = "class cuda:\n    is_available = staticmethod(lambda: True)\n"
        without_nvml = "import ctypes\ndef none(name): raise OSError('no ' + name)\nctypes.CDLL = none\n"
        self.fails("energy.py", {"cupy": found, "torch": without_nvml + usable},
                   "needs NVML, which comes with NVIDIA's driver: no libnvidia-ml.so.1")

    def test_tables_of_other_files(self):
        done = run("tables.py", ENERGY, MEMORY)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not what hbm_and_kernels.py prints", done.stderr)
        done = run("tables.py", MEMORY, PAGE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("device.md: ", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


unittest.main()

"""The example of examples/pandas, on a recorded run and a sweep. Arguments: kernbench, the source folder."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
sys.dont_write_bytecode = True
try:
    import pandas
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-pandas)")
    sys.exit(SKIPPED)

KERNBENCH, EXAMPLE = sys.argv[1], pathlib.Path(sys.argv[2], "examples/pandas")
sys.path[:0] = [str(EXAMPLE), str(EXAMPLE.parent.parent / "python")]
os.environ["PYTHONPATH"] = str(EXAMPLE.parent.parent / "python")
from kernbench import frames as kb  # noqa: E402


def kernbench(*arguments):
    subprocess.run([KERNBENCH, *arguments], check=True, capture_output=True, timeout=300)


class Pandas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.record, cls.points = f"{cls.work.name}/r", f"{cls.work.name}/points"
        machine = EXAMPLE.parent.parent / "configs/one_cube.yaml"
        kernbench("run", "--topology", str(machine), "--bench", "matmul-composite", "--record", cls.record, "--quiet")
        kernbench("sweep", str(EXAMPLE / "tiles.yaml"), "--out", cls.points, "--quiet")

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def test_launches_are_those_of_the_result(self):
        run = kb.Run(self.record)
        launches = run.launches()
        result = json.loads(pathlib.Path(self.record, "result.json").read_text())
        self.assertEqual(list(launches["kernel"]), [launch["kernel"] for launch in result["launches"]])
        self.assertEqual(launches["pe_exec_ns.max"].max(), run.pes()["exec_ns"].max())
        # The parts add up to submission to completion.
        parts = run.breakdown().sum(axis=1).iloc[0]
        self.assertAlmostEqual(parts, (launches["completed_ns"] - launches["submit_ns"]).iloc[0], places=5)

    def test_operations_add_up_to_the_statistics(self):
        run = kb.Run(self.record)
        blocks = run.blocks().set_index(["node", "statistic"])["value"]
        tiles = run.operations("op_name = 'TileToken/GEMM' AND component = ?", ["sip0.cube0.pe0.pe_gemm"])
        self.assertGreater(len(tiles), 10)
        busy_fs = (tiles["t_end_fs"] - tiles["t_start_fs"]).sum()
        self.assertAlmostEqual(busy_fs / 1e6, blocks["sip0.cube0.pe0.pe_gemm", "busy"], places=5)
        self.assertEqual(kb.parameters(tiles)["macs"].sum(), blocks["sip0.cube0.pe0.pe_gemm", "macs"])
        self.assertEqual(len(run.operations()), run.operations()["seq"].nunique())
        self.assertTrue((run.activities()["used"] <= 1).all())
        self.assertEqual(run.config().loc["sip.cube_mesh.w", "value"], 1)

    def test_points_are_those_of_the_table(self):
        points = kb.sweep(self.points)
        self.assertEqual(len(points), 6)
        self.assertEqual(points.groupby("tile_k").size().to_dict(), {32: 2, 64: 2, 128: 2})
        self.assertTrue((points.loc[points["hbm_gbs"] == 32, "macs_per_ns"].to_numpy()
                         > points.loc[points["hbm_gbs"] == 16, "macs_per_ns"].to_numpy()).all())

    def test_the_script_prints_the_table_of_its_page(self):
        shown = subprocess.run([sys.executable, "-B", str(EXAMPLE / "look.py"), self.record, self.points], check=True,
                               capture_output=True, text=True, timeout=300).stdout
        page = (EXAMPLE / "README.md").read_text()
        table = re.search(r"macs_per_ns by tile_k and hbm_gbs\n(?:.+\n)+", page)[0].replace("```\n", "")
        self.assertIn(table.split(), [shown.split()[i : i + len(table.split())] for i in range(len(shown.split()))])
        for title in ("Launches", "Where the time went", "Slowest PEs", "Busiest", "Reads that began", "Best point"):
            self.assertIn(f"\n{title}", shown)

    def test_the_script_prints_the_front_of_a_sweep_with_objectives(self):
        with tempfile.TemporaryDirectory() as folder:
            text = (EXAMPLE / "tiles.yaml").read_text().replace("../../configs", str(EXAMPLE.parent.parent / "configs"))
            goals = "objectives: [{column: hbm_gbs, goal: min}, {column: macs_per_ns, goal: max}]\n"
            pathlib.Path(folder, "tiles.yaml").write_text(text + goals)
            kernbench("sweep", f"{folder}/tiles.yaml", "--out", f"{folder}/points", "--quiet")
            shown = subprocess.run([sys.executable, "-B", str(EXAMPLE / "look.py"), self.record, f"{folder}/points"],
                                   check=True, capture_output=True, text=True, timeout=300).stdout
        self.assertIn("\nmacs_per_ns by tile_k and hbm_gbs\n", shown)
        front = shown.split("\nPareto front\n")[1].splitlines()
        self.assertEqual([line.split()[0] for line in front[2:]], ["4", "5"])

    def test_what_cannot_be_read_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            kernbench("run", "--bench", "noop", "--out", folder, "--quiet")
            with self.assertRaisesRegex(FileNotFoundError, "was not recorded"):
                kb.Run(folder).operations()
            path = pathlib.Path(folder, "result.json")
            path.write_text(path.read_text().replace('"kernels"', '"kernel_list"', 1))
            with self.assertRaisesRegex(ValueError, "run it again"):
                kb.Run(folder)
            pathlib.Path(folder, "points.csv").write_text("point,a,status,cause\n0,1,failed,too large\n")
            with self.assertRaisesRegex(ValueError, "no point has succeeded: too large"):
                kb.sweep(folder)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""The accounts by line (H-119) add up, in whole runs: the lines of a launch to the time of its PEs' kernels, the transfers
to what DMA channels moved, and every resource's use by line to its use by launch. Arguments: kernbench, the source folder,
a plug-in with the workload fused-mlp."""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

KERNBENCH, SOURCE, PLUGIN = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]

# Blocking calls, composites, messages, barriers, several launches, virtual addresses, epilogues in memory.
RUNS = [
    ("one_cube.yaml", "gemm-multi-pe"),
    ("one_cube.yaml", "matmul-composite"),
    ("one_sip.yaml", "softmax"),
    ("reference.yaml", "ccl-allreduce"),
    ("six_sips_torus.yaml", "ccl-allreduce"),  # messages between launches
    ("reference.yaml", "tp-transformer-block"),
    ("one_cube.yaml", "flash-attention"),
    ("reference.yaml", "va-offset-verify"),
    ("one_cube.yaml", "fused-mlp"),
]


def record(folder, topology, workload, *more):
    subprocess.run(
        [KERNBENCH, "run", "--topology", str(SOURCE / "configs" / topology), "--plugin", PLUGIN, "--bench", workload,
         "--record", folder, "--quiet", *more], check=True, timeout=300)
    return sqlite3.connect(str(pathlib.Path(folder, "ops.sqlite")))


class LineSums(unittest.TestCase):
    def sums(self, database, sql):
        return dict(((row[0], row[1]), row[2:]) for row in database.execute(sql))

    def check_times(self, database):
        lines = self.sums(database, "SELECT launch_id, sip, sum(all_pes_fs), sum(last_pe_fs) FROM line_time GROUP BY 1, 2")
        pes = self.sums(database, "SELECT launch_id, sip, sum(exec_fs) FROM launch_pe GROUP BY 1, 2")
        last = self.sums(database, """
            SELECT id, launch.sip, exec_fs FROM launch JOIN launch_pe ON launch_id = id AND launch_pe.sip = launch.sip
            WHERE last_pe = 'sip' || launch_pe.sip || '.cube' || cube || '.pe' || pe""")
        self.assertTrue(lines)
        self.assertEqual(set(lines), set(pes))
        for launch, (everywhere, at_last) in lines.items():
            self.assertEqual(everywhere, pes[launch][0], launch)
            self.assertEqual(at_last, last[launch][0], launch)
        # The same, by what the PE did.
        shares = """
            SELECT name, sum(time_fs) FROM launch_part WHERE kind = 'part' AND name NOT IN ('delivery', 'barrier', 'completion')
            GROUP BY 1 HAVING sum(time_fs) > 0"""
        by_line = "SELECT share, sum(last_pe_fs) FROM line_time GROUP BY 1 HAVING sum(last_pe_fs) > 0"
        self.assertEqual(dict(database.execute(by_line)), dict(database.execute(shares)))

    def check_uses(self, database):
        """By launch and role, and no place of a launch is missing."""
        by_line = self.sums(database, """
            SELECT launch_id, CASE role WHEN 'tcm' THEN 'tcm' ELSE role END, sum(busy_fs), sum(wait_fs), sum(bytes)
            FROM line_use GROUP BY 1, 2""")
        by_launch = self.sums(database, """
            SELECT launch_id, kind, sum(busy_fs), sum(wait_fs), sum(bytes) FROM launch_use
            JOIN (SELECT component.name AS block, series.name AS series, kind FROM series JOIN component
                  ON component.id = component_id) AS known ON known.block = launch_use.block AND series = launch_use.resource
            GROUP BY 1, 2""")
        self.assertTrue(by_line)
        self.assertEqual(by_line, by_launch)
        moved = database.execute("SELECT sum(bytes) FROM line_use WHERE role = 'dma'").fetchone()[0] or 0
        statistics = database.execute(
            "SELECT sum(value) FROM block_statistic WHERE kind = 'pe_dma' AND name IN ('read_bytes', 'write_bytes')")
        self.assertEqual(moved, statistics.fetchone()[0] or 0)

    def check_places(self, database):
        """Every kernel's time has a line, and every operation of a PE belongs to a known place."""
        nameless = database.execute("""
            SELECT count(*) FROM line_time JOIN place ON place.id = place_id WHERE line = 0 AND held_by = 0""").fetchone()[0]
        self.assertEqual(nameless, 0)
        unknown = database.execute("SELECT count(*) FROM op WHERE place_id NOT IN (SELECT id FROM place)").fetchone()[0]
        self.assertEqual(unknown, 0)
        without = database.execute("""
            SELECT DISTINCT operation.name FROM op JOIN operation ON operation.id = operation_id WHERE place_id = 0
            AND operation.name NOT IN ('host_write', 'scratch_write')""").fetchall()
        self.assertEqual(without, [])

    def test_accounts_add_up(self):
        for topology, workload in RUNS:
            with self.subTest(workload=workload), tempfile.TemporaryDirectory() as folder:
                database = record(f"{folder}/run", topology, workload)
                self.check_times(database)
                self.check_uses(database)
                self.check_places(database)
                database.close()

    def test_a_receive_is_held_by_the_sender(self):
        with tempfile.TemporaryDirectory() as folder:
            database = record(f"{folder}/run", "reference.yaml", "ccl-allreduce")
            holders = database.execute("""
                SELECT DISTINCT at.call, by.call FROM line_time JOIN place AS at ON at.id = place_id
                JOIN place AS by ON by.id = held_by WHERE at.call LIKE 'recv%'""").fetchall()
            self.assertTrue(holders)
            for receive, sender in holders:
                self.assertEqual(sender, "send", receive)
            database.close()

    def test_result_names_lines_of_the_source(self):
        with tempfile.TemporaryDirectory() as folder:
            record(f"{folder}/run", "one_cube.yaml", "fused-mlp", "--set", "variant=ahead").close()
            result = json.loads(pathlib.Path(folder, "run", "result.json").read_text())
            longest = result["lines"][0]
            source = (SOURCE / longest["at"]["file"]).read_text().splitlines()
            self.assertEqual(longest["at"]["file"], "examples/kernels/fused_mlp/ahead.cpp")
            self.assertIn("tl.wait(", source[longest["at"]["line"] - 1])
            self.assertIn("tl.load_into_async(", source[longest["held_by"]["line"] - 1])
            self.assertEqual(longest["held_by"]["tensor"], "h")
            self.assertEqual(sum(line["time_ns"] for line in result["lines"]),
                             sum(kernel["exec_ns"] for kernel in result["kernels"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

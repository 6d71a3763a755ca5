"""Joules of whole runs (E-113 .. E-119): every event is counted a second time here, from statistics of blocks and the
edges of the machine, and every sum is exact. Arguments: kernbench, the source folder."""

import csv
import fractions
import json
import math
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

KERNBENCH, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
HERE = SOURCE / "tests" / "machine" / "energy"

# Blocking calls, composites with epilogues, messages, several launches and SIPs, MATH alone, f32.
RUNS = [
    ("one_cube.yaml", "gemm-multi-pe"),
    ("one_cube.yaml", "matmul-composite", "--set", "epilogue=relu"),
    ("one_sip.yaml", "softmax"),
    ("reference.yaml", "tp-transformer-block"),
    ("six_sips_torus.yaml", "ccl-allreduce"),
    ("one_cube.yaml", "flash-attention"),
    ("one_cube.yaml", "elementwise", "--set", "dtype=f32"),
    ("one_pe.yaml", "gemm-single-pe", "--set", "dtype=i8", "--set", "m=40"),
]
DTYPES = {"softmax": "math.element_f16", "elementwise": "math.element_f32", "gemm-single-pe": "gemm.mac_i8"}
ENERGIES = ("fj", "low_fj", "high_fj")
ROUTERS = ("noc_router", "channel_router", "io_noc")
LINKS = ("ucie_mesh", "io_to_cube", "cube_to_io")


def run(topology, workload, *more):
    command = [KERNBENCH, "run", "--topology", str(topology), "--bench", workload, "--json", "--details", *more]
    return json.loads(subprocess.run(command, check=True, timeout=300, stdout=subprocess.PIPE).stdout)


def machine(topology):
    return json.loads(subprocess.run([KERNBENCH, "topology", str(topology), "--json"], check=True, stdout=subprocess.PIPE).stdout)


def plain_counts(result, graph):
    """Counts of events by part and name, from statistics and edges."""
    blocks = result["blocks"]
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    counts = {}

    def add(event, count):
        if count:
            counts[event] = counts.get(event, 0) + count

    def statistic(block, name):
        return blocks.get(block, {}).get(name, {}).get("value", 0)

    for edge in graph["edges"]:
        source, target, kind = edge["src"], edge["dst"], edge["kind"]
        bits = 8 * statistic(source, f"to_{target}.bytes")
        if kinds[source] in ROUTERS:
            add("routers.bit", bits)
        if kind == "pcie":
            add("pcie.bit", bits)
        elif kind in LINKS:
            add("ucie.bit", bits)
        else:
            add("wires.bit_mm", bits * round(1000 * edge["distance_mm"]))
        if "sram" in (kinds[source], kinds[target]):
            add("sram.bit", bits)
        if "hbm_ctrl" in (kinds[source], kinds[target]):
            add("hbm.bit", bits)
    for block, kind in kinds.items():
        if kind in ("pe_tcm", "pe_dma"):
            moved = statistic(block, "read_bytes") + statistic(block, "write_bytes") - statistic(block, "tcm_copied_bytes")
            add("tcm.bit", 8 * moved)
    return counts


def rounded(count, coefficient, unit):
    """Femtojoules of `count` events; a coefficient has nine decimals of a picojoule."""
    ratio = 1000 if unit == "bit um" else 1
    exact = fractions.Fraction(count) * round(coefficient * 10**9) / 10**6 / ratio
    return math.floor(exact + fractions.Fraction(1, 2))


class Energy(unittest.TestCase):
    def check_sums(self, result):
        energy = result["energy"]
        for key in ENERGIES:
            total = energy[key]
            self.assertEqual(sum(part[key] for part in energy["parts"]), total)
            self.assertEqual(sum(event[key] for event in energy["events"]), total)
            self.assertEqual(sum(launch["energy"][key] for launch in result["launches"]) + energy["nobodys"][key], total)
            self.assertEqual(sum(kernel["energy"][key] for kernel in result["kernels"]) + energy["nobodys"][key], total)
        self.assertTrue(energy["low_fj"] < energy["fj"] < energy["high_fj"])
        for part in energy["parts"]:
            events = [event for event in energy["events"] if event["part"] == part["name"]]
            self.assertEqual(sum(event["fj"] for event in events), part["fj"])
            self.assertEqual(sum(part["bins_fj"]), part["fj"])
            self.assertLessEqual(abs(len(part["bins_fj"]) * energy["bin_ns"] - result["sim_time_ns"]), energy["bin_ns"])
        for line in energy["lines"]:
            self.assertEqual(sum(line["parts_fj"].values()), line["fj"])
        if len(energy["lines"]) < 256:
            launches = sum(launch["energy"]["fj"] for launch in result["launches"])
            self.assertEqual(sum(line["fj"] for line in energy["lines"]), launches)

    def check_events(self, result, graph):
        counts = plain_counts(result, graph)
        for event in result["energy"]["events"]:
            name = f"{event['part']}.{event['name']}"
            if name in counts:
                self.assertEqual(event["count"], counts.pop(name), name)
            for value, energy in (("value", "fj"), ("low", "low_fj"), ("high", "high_fj")):
                self.assertEqual(event[energy], rounded(event["count"], event[value], event["unit"]), name)
            self.assertTrue(event["source"], name)
        for name, count in counts.items():  # without a coefficient: listed
            key = f"(energy.{name})"
            self.assertTrue(any(phrase.endswith(key) for phrase in result["energy"]["not_counted"]), f"{name} {count}")

    def check_engines(self, result):
        """The MACs of all dtypes are those of the arrays."""
        macs = sum(event["count"] for event in result["energy"]["events"] if event["part"] == "gemm")
        arrays = result["block_kinds"].get("pe_gemm", {}).get("statistics", {}).get("macs", {"sum": 0})["sum"]
        self.assertEqual(macs, arrays)
        self.assertEqual(macs, sum(kernel["macs"] for kernel in result["kernels"]))

    def test_counts_and_sums(self):
        for topology, workload, *more in RUNS:
            with self.subTest(topology=topology, workload=workload):
                file = SOURCE / "configs" / topology
                result = run(file, workload, "--set", "energy.defaults=hbm2_7nm", *more)
                self.check_sums(result)
                self.check_events(result, machine(file))
                self.check_engines(result)
                events = {f"{event['part']}.{event['name']}" for event in result["energy"]["events"]}
                if workload in DTYPES:
                    self.assertIn(DTYPES[workload], events)

    def test_nothing_else_changes(self):
        """Without the section nothing of a result is different, and with it no time."""
        file = SOURCE / "configs" / "one_cube.yaml"
        plain = run(file, "matmul-composite")
        with_energy = run(file, "matmul-composite", "--set", "energy.defaults=hbm2_7nm")
        self.assertNotIn("energy", plain)
        self.assertFalse([key for key in plain["config"] if key.startswith("energy")])
        for member in ("energy", "host", "settings", "config"):
            plain.pop(member, None)
            with_energy.pop(member, None)
        for group in ("launches", "kernels"):
            for one in with_energy[group]:
                one.pop("energy")
        self.assertEqual(plain, with_energy)

    def test_totals_do_not_need_places(self):
        file = SOURCE / "configs" / "one_cube.yaml"
        energies = [run(file, "gemm-multi-pe", "--set", "energy.defaults=hbm2_7nm", *more)["energy"]
                    for more in ((), ("--no-findings",))]
        self.assertEqual(energies[0]["events"], energies[1]["events"])
        self.assertEqual(energies[0]["fj"], energies[1]["fj"])
        self.assertNotIn("nobodys", energies[1])
        self.assertNotIn("lines", energies[1])

    def test_a_gemm_of_an_h100_like_machine(self):
        """700 W at 494.7 TMAC/s are 1.4 pJ, an upper bound of everything; a full GEMM takes 350 to 700 W."""
        result = run(HERE / "h100.yaml", "matmul-composite-multi-pe", "--set", "m=4096", "--set", "n=4096", "--set", "k=4096")
        launch = result["launches"][0]
        time_ns = launch["completed_ns"] - launch["submit_ns"]
        watts = launch["energy"]["fj"] / (time_ns * 1e6)
        self.assertTrue(350 <= watts <= 700, watts)
        self.assertEqual(launch["energy"]["fj"], rounded(4096**3, 1.4, "MAC"))
        self.assertAlmostEqual(result["energy"]["pj_per_flop"], 0.7, places=6)

    def test_a_memory_with_banks(self):
        """Its counted rows replace the constant per bit, and belong to the lines that opened them."""
        file = SOURCE / "configs" / "modern.yaml"
        result = run(file, "gemm-multi-pe", "--set", "energy.defaults=hbm3_7nm")
        self.check_sums(result)
        events = {event["name"]: event["count"] for event in result["energy"]["events"] if event["part"] == "hbm"}
        statistics = result["block_kinds"]["hbm_ctrl"]["statistics"]
        self.assertEqual(events["act"], statistics["acts"]["sum"])
        self.assertEqual(events.get("refresh", 0), statistics["refreshes"]["sum"])
        self.assertEqual(events["read_bit"], 8 * statistics["read_bytes"]["sum"])
        self.assertEqual(events["write_bit"], 8 * statistics["write_bytes"]["sum"])
        self.assertEqual(events["io_bit"], events["read_bit"] + events["write_bit"])
        self.assertNotIn("bit", events)
        plain = run(file, "gemm-multi-pe")
        self.assertEqual(plain["launches"][0]["completed_ns"], result["launches"][0]["completed_ns"])
        self.assertEqual(plain["findings"], result["findings"])

    def test_the_database_has_every_line(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run(SOURCE / "configs" / "one_sip.yaml", "mlp", "--set", "energy.defaults=hbm2_7nm", "--record", folder)
            with sqlite3.connect(pathlib.Path(folder, "ops.sqlite")) as database:
                rows = database.execute("SELECT launch_id, sum(energy_fj), sum(low_fj), sum(high_fj) FROM line_energy GROUP BY 1")
                lines = {row[0]: dict(zip(ENERGIES, row[1:])) for row in rows}
            self.assertEqual(lines, {launch["id"]: launch["energy"] for launch in result["launches"]})

    def test_columns_of_a_sweep(self):
        """Totals are there without recorded activity, launches and lines make the sweep record it."""
        file = SOURCE / "configs" / "one_cube.yaml"
        with tempfile.TemporaryDirectory() as folder:
            sweep = pathlib.Path(folder, "energy.yaml")
            sweep.write_text(f"""
workload: gemm-multi-pe
topology: {file}
machine: {{energy.defaults: hbm2_7nm}}
axes: {{tile_n: {{set: tile_n, values: [64, 128]}}}}
columns:
  time_ns: max /launches/*/pe_exec_ns/max
  total_fj: /energy/fj
  hbm_fj: /energy/parts/hbm/fj
  launch_fj: sum /launches/*/energy/fj
  line_fj: max /energy/lines/*/fj
  watts: launch_fj / time_ns / 1e6
objectives: [{{column: time_ns, goal: min}}, {{column: launch_fj, goal: min}}]
plots: [{{x: tile_n, y: hbm_fj}}]
""")
            out = pathlib.Path(folder, "out")
            subprocess.run([KERNBENCH, "sweep", str(sweep), "--out", str(out), "--jobs", "1", "--quiet"], check=True, timeout=300)
            with open(out / "points.csv", newline="") as table:
                points = list(csv.DictReader(table))
        for point in points:
            result = run(file, "gemm-multi-pe", "--set", "energy.defaults=hbm2_7nm", "--set", f"tile_n={point['tile_n']}")
            energy = result["energy"]
            self.assertEqual(int(point["total_fj"]), energy["fj"])
            self.assertEqual(int(point["hbm_fj"]), next(part["fj"] for part in energy["parts"] if part["name"] == "hbm"))
            self.assertEqual(int(point["launch_fj"]), sum(launch["energy"]["fj"] for launch in result["launches"]))
            self.assertEqual(int(point["line_fj"]), max(line["fj"] for line in energy["lines"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)

#!/usr/bin/env python3
"""Draws machines, workloads and reliefs at random and compares what findings promise with what the reliefs bring.

Each case is a random machine and a random workload. Of its findings whose relief is an option of a run, one is drawn; the
run is made again with that relief and the routes and choices of before (`--pins`). A finding is a bound: it must not
promise less than was measured. Needs Python 3.9 and no packages. README.md explains the tables.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PE = "cube.pe_template.components."
NO_LIMIT = "1000000"
TOLERANCE = 1.005  # what a finding leaves out below 3 % of a launch, such as the way of a completion


def values(key, *choices):
    return [f"{key}={choice}" for choice in choices]


def link(wire, rate):
    return [f"replace[0].links={wire}", f"replace[0].attrs.bw_gbs={rate}"]


def node(name, attribute, value):
    return [f"replace[0].nodes={name}", f"replace[0].attrs.{attribute}={value}"]


# What a machine may have besides its file: one line is drawn of each table that is drawn.
KEYS = [
    values("cube.ucie.attrs.overhead_ns", 0, 4, 32),
    values("cube.links.router_overhead_ns", 1, 4, 16),
    values("cube.components.hbm_ctrl.attrs.access_ns", 20, 80, 200),
    values("cube.components.hbm_ctrl.attrs.efficiency", 0.2, 0.5),
    values("cube.memory_map.hbm_channel_bw_gbs", 8, 16, 64),
    values("cube.links.noc_to_ucie_conn_bw_gbs", 64, 512),
    values(PE + "pe_dma.attrs.rd_outstanding", 2, 4, 16),
    values(PE + "pe_mmu.attrs.tlb_overhead_ns", 10, 100),
    values(PE + "pe_cpu.attrs.dispatch_cycles", 20, 200),
    values(PE + "pe_gemm.attrs.mac_per_ns", 256, 1024),
    values(PE + "pe_math.attrs.elements_per_ns", 8, 32),
    values("cube.components.noc_router.attrs.decode", "serial"),
    values("cube.components.m_cpu.attrs.overhead_ns", 200, 2000),
]
FAULTS = {
    "one_cube": [
        link("sip0.cube0.r4c1 -> sip0.cube0.r4c0", 32),
        link("sip0.cube0.r* -> sip0.cube0.pe5.pe_dma", 32),
        link("sip0.cube0.pe2.pe_dma -> sip0.cube0.r*", 16),
        node("sip0.cube0.hbm_ctrl.pe3", "access_ns", 400),
    ],
    "reference": [
        link("sip0.cube6.ucie-W -> sip0.cube5.ucie-E", 32),
        link("sip0.cube9.ucie-N -> sip0.cube5.ucie-S", 64),
        link("sip0.cube3.r* -> sip0.cube3.pe5.pe_dma", 32),
        node("sip0.cube2.hbm_ctrl.pe3", "access_ns", 400),
    ],
    "six_sips_torus": [
        link("sip2.io0.pcie_ep -> fabric.switch0", 32),
        link("sip1.cube0.ucie-E -> sip1.cube1.ucie-W", 32),
    ],
}


def several(rng, **choices):
    """One value of each parameter."""
    return [f"{name}={pick(rng, list(options))}" for name, options in choices.items()]


# random.Random(seed).random() gives the same numbers in every version of Python; choice() does not.
def pick(rng, options):
    return options[int(rng.random() * len(options))]


def traffic(rng):
    return "traffic", several(rng, pattern=("own", "hot", "in_turn", "around", "next_cube", "far_cube", "everywhere"),
                              move=("read", "read", "write", "both"), block=(64, 256, 1024, 4096, 8192),
                              count=(16, 64), ahead=(1, 2, 4, 8), rounds=(1, 1, 4), slow_pe=(-1, -1, 2), slow_times=(4,))


def gemm(rng):
    return "gemm-multi-pe", several(rng, rows_per_pe=(1, 8, 32), k=(256, 1024), n=(256, 512), tile_n=(64, 128, 256),
                                    b_copies=("cube", "pe"))


def composite(rng):
    return "matmul-composite", several(rng, m=(64, 256), n=(256, 512), variant=("ref", "load"))


def attention(rng):
    return "flash-attention", several(rng, queries=(16, 128), context=(1024, 4096), variant=("blocking", "double_buffered"))


def softmax(rng):
    return "softmax", several(rng, rows=(1024, 8192))


def collective(rng):
    name = pick(rng, ["ccl-allreduce", "ccl-allreduce", "ccl-all-gather", "ccl-all-to-all", "ccl-broadcast"])
    chosen = several(rng, n_elem=(192, 1536, 6144, 24576))
    if rng.random() < 0.5:
        chosen += several(rng, chunk=(64, 256))
    if name == "ccl-allreduce" and rng.random() < 0.5:
        chosen += several(rng, algorithm=("ring_allreduce", "lrab_hierarchical_allreduce"), n_slots=(1, 4))
    return name, chosen


WORKLOADS = {
    "one_cube": [traffic, traffic, gemm, composite, attention, softmax, collective],
    "reference": [traffic, traffic, traffic, gemm],
    "six_sips_torus": [collective],
}

IO = "sip.io_chiplets[0].components."
OVERHEADS = {  # by kind of node
    "noc_router": ["cube.links.router_overhead_ns=0"],
    "ucie": ["cube.ucie.attrs.overhead_ns=0", IO + "io_ucie.attrs.overhead_ns=0"],
    "switch": ["system.components.switch.attrs.overhead_ns=0"],
    "pcie_ep": [IO + "pcie_ep.attrs.overhead_ns=0"],
}
# Reliefs that are one option for all machines.
RELIEFS = {
    "decoder_bound": ["cube.components.noc_router.attrs.decode=pipelined"],
    "memory_latency": ["cube.components.hbm_ctrl.attrs.access_ns=0"],
    "translation": [PE + "pe_mmu.attrs.tlb_overhead_ns=0"],
    "scalar_bound": [PE + "pe_cpu.attrs.dispatch_cycles=0"],
    "compute_bound": [PE + "pe_gemm.attrs.mac_per_ns=65536", PE + "pe_math.attrs.elements_per_ns=65536"],
    "memory_bound": ["cube.components.hbm_ctrl.attrs.efficiency=1"],
    "small_transfers": [PE + "pe_dma.attrs.rd_outstanding=64", "ahead=16"],
    "padded_tiles": [PE + "pe_gemm.attrs.gemm_granularity=none"],
    "idle_pseudo_channels": ["cube.components.hbm_ctrl.attrs.channel_hash=xor"],
    "launch_overhead": ["cube.components.m_cpu.attrs.overhead_ns=0"],
    "small_messages": ["chunk=0"],
    "full_queue": ["n_slots=32"],
    "barrier_imbalance": ["slow_times=1"],
    "slices_in_turn": ["pattern=around"],
    "hot_slice": ["pattern=own"],  # a copy for each PE
}
# Of these the run has to have the cause as an option, which the relief takes back.
NEEDS = {"small_messages": "chunk=", "full_queue": "n_slots=", "barrier_imbalance": "slow_times=", "memory_bound": "efficiency=",
         "slices_in_turn": "pattern=in_turn", "hot_slice": "pattern=hot", "decoder_bound": "decode=serial",
         "compute_bound": ""}


def every_overhead():
    """No node takes time for a header, also on the way of the launch."""
    return [option for options in OVERHEADS.values() for option in options]


def relief_of(finding, case):
    """Options of a run without the cause; None when there are none."""
    rule, text = finding["rule"], "\n".join([finding["headline"], *finding["evidence"]])
    entry = sum("replace[0].attrs" in option for option in case["options"])
    wire = re.search(r"the wire (\S+ -> \S+) is", text)
    if rule == "hot_link" and wire:
        return [f"replace[{entry}].links={wire[1]}", f"replace[{entry}].attrs.bw_gbs={NO_LIMIT}"]
    if rule == "slow_link" and wire:
        usual = re.search(r"others of its kind ([0-9.]+),", text)
        return [f"replace[{entry}].links={wire[1]}", f"replace[{entry}].attrs.bw_gbs={usual[1]}"]
    if rule == "slow_slice" and entry:
        return ["replace[0].attrs.access_ns=0"] if "access_ns" in " ".join(case["fault"]) else None
    if rule == "header_bound":
        kind = re.search(r"overheads of nodes of kind (\w+)", text)
        return OVERHEADS.get(kind[1]) if kind else every_overhead()
    if rule == "small_transfers":
        if case["workload"] == "matmul-composite":
            return [PE + "pe_dma.attrs.rd_outstanding=64"]
        ahead = [int(option[6:]) for option in case["options"] if option.startswith("ahead=")]
        return RELIEFS[rule] if ahead and ahead[0] > 1 else None
    if rule == "launch_overhead" and "rounds=4" in case["options"]:
        return None  # barriers have that overhead, too
    if rule in NEEDS and not any(NEEDS[rule] in option for option in case["options"]):
        return None
    return RELIEFS.get(rule)


def draw(rng):
    machine = pick(rng, list(WORKLOADS))
    workload, options = pick(rng, WORKLOADS[machine])(rng)
    keys = []
    for _ in range(int(rng.random() * 3)):
        key = pick(rng, pick(rng, KEYS))
        if key.split("=")[0] not in [other.split("=")[0] for other in keys]:
            keys.append(key)
    fault = pick(rng, FAULTS[machine]) if rng.random() < 0.3 else []
    return {"machine": machine, "workload": workload, "options": options + keys + fault, "fault": fault}


def command(case, more, options):
    words = [options.kernbench, "run", "--topology", case["machine"], "--bench", case["workload"], "--seed", "1"]
    for plugin in options.plugin:
        words += ["--plugin", plugin]
    for option in case["options"] + more:
        words += ["--set", option]
    return words


def longest_ns(result):
    return max(launch["completed_ns"] - launch["submit_ns"] for launch in result["launches"])


def run(words, folder):
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    return done.stderr if done.returncode != 0 else None


def measured(seed, options):
    """The case of a seed: what was promised and measured. None when it has no finding with a relief, or cannot be run."""
    rng = random.Random(seed)
    case = draw(rng)
    with tempfile.TemporaryDirectory() as folder:
        error = run(command(case, [], options) + ["--quiet", "--out", "r"], folder)
        if error:
            return {"seed": seed, "error": error.strip().splitlines()[0]}
        with open(f"{folder}/r/result.json") as file:
            before = json.load(file)
        reliefs = [(finding, relief_of(finding, case)) for finding in before["findings"]]
        reliefs = [(finding, relief) for finding, relief in reliefs if relief]
        if not reliefs:
            return None
        finding, relief = pick(rng, reliefs)
        error = run(command(case, relief, options) + ["--quiet", "--pins", "r", "--out", "s"], folder)
        if error:
            return {"seed": seed, "error": error.strip().splitlines()[0]}
        with open(f"{folder}/s/result.json") as file:
            after = json.load(file)
    gain = longest_ns(before) / longest_ns(after)
    return {"seed": seed, "machine": case["machine"], "workload": case["workload"], "options": case["options"],
            "relief": relief, "rule": finding["rule"], "place": before["findings"].index(finding) + 1,
            "promised": round(finding["factor"], 4), "gain": round(gain, 4),
            "promised_of_gain": round(finding["factor"] / gain, 4)}


def measure_all(options):
    """Cases of rising seeds, until there are as many as asked for. Equal for any number of jobs."""
    rows, failed, seed = [], [], options.seed * 100000
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        while len(rows) < options.count:
            batch = range(seed, seed + max(8, options.count - len(rows)))
            seed = batch.stop
            for row in pool.map(lambda one: measured(one, options), batch):
                if row is not None and len(rows) < options.count:
                    (failed if "error" in row else rows).append(row)
            if len(failed) > 4 * options.count:
                raise SystemExit(f"reliefs.py: most cases cannot be run: {failed[0]['error']}")
    return rows, failed


def at_most(ratios, share):
    return sorted(ratios)[max(0, -(-len(ratios) * share // 100) - 1)]


def summary(rows):
    ratios = [row["promised_of_gain"] for row in rows]
    return {"cases": len(rows), "median": round(statistics.median(ratios), 4), "at_most_90": at_most(ratios, 90),
            "largest": max(ratios), "below": sum(ratio * TOLERANCE < 1 for ratio in ratios)}


def show(rows, failed):
    table = [["seed", "rule", "place", "promised", "measured", "of it", "case"]]
    for row in rows:
        table.append([str(row["seed"]), row["rule"], str(row["place"]), f"{row['promised']:.2f}", f"{row['gain']:.2f}",
                      f"{row['promised_of_gain']:.2f}",
                      shlex.join([row["machine"], row["workload"], *row["options"]]) + " / " + shlex.join(row["relief"])])
    widths = [max(map(len, column)) for column in zip(*table)]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    for row in failed:
        print(f"{row['seed']}: not run: {row['error']}")
    by_rule = {}
    for row in rows:
        by_rule.setdefault(row["rule"], []).append(row["promised_of_gain"])
    print()
    for rule, ratios in sorted(by_rule.items()):
        print(f"{rule:22} {len(ratios):3} cases, promised / measured: least {min(ratios):.2f}, "
              f"median {statistics.median(ratios):.2f}, most {max(ratios):.2f}")
    print("\n{cases} reliefs, promised / measured: median {median}, 90 % up to {at_most_90}, largest {largest}; "
          "below what was measured: {below}".format(**summary(rows)))


def seed(text):
    """A number, or that of today, so that promises are tried on runs that nobody has looked at."""
    return (datetime.date.today() - datetime.date(2020, 1, 1)).days if text == "day" else int(text)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--kernbench", metavar="PROGRAM", default="kernbench", help="the program (default: of PATH)")
    add("--plugin", metavar="FILE", action="append", default=[], help="libcauses.so of evaluations/causes")
    add("--count", metavar="N", type=int, default=200, help="reliefs (default: 200)")
    add("--seed", metavar="N", type=seed, default=1, help="of the first case (default: 1); day: another one each day")
    add("--jobs", metavar="N", type=int, default=os.cpu_count(), help="cases at a time (default: one per core)")
    add("--json", action="store_true", help="print JSON and no table")
    add("--check", metavar="N", type=int, help="exit with 1 when more than N promises are below what was measured, when the "
                                               "median is above 1.5, or when a tenth is above 3")
    options = parser.parse_args(arguments)
    if options.count < 1:
        parser.error("--count must be at least 1")
    if os.path.dirname(options.kernbench):
        options.kernbench = os.path.abspath(options.kernbench)
    options.plugin = [os.path.abspath(plugin) for plugin in options.plugin]
    return options


def main(arguments):
    options = parse(arguments)
    rows, failed = measure_all(options)
    said = summary(rows)
    if options.json:
        print(json.dumps({"summary": said, "cases": rows, "failed": failed}, indent=2))
    else:
        show(rows, failed)
    if options.check is None:
        return 0
    return 1 if said["below"] > options.check or said["median"] > 1.5 or said["at_most_90"] > 3 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

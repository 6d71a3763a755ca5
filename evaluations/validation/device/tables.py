#!/usr/bin/env python3
"""Tables of a measured device, as Markdown on standard output, from what hbm_and_kernels.py and energy.py printed.

docs/validation/device.md has those of the device that kernbench is compared with; the formulas stand there.
"""

import argparse
import csv
import json
import re
import sys

from hbm_and_kernels import HEAD_DIM, HEADS, WEIGHTS, kv_sets

BF16_TFLOPS = {"NVIDIA H100 80GB HBM3": 989}  # dense, from the data sheet
BF16_BYTES = 2
QUERY_HEADS = {name: query_heads for query_heads, _, name in HEADS}
KV_HEADS = {name: kv_heads for _, kv_heads, name in HEADS}
LOADED = ("33_200", "67_0", "133_0")  # the loads that kernbench is compared at
PITCHES = (4096, 65536, 1048576)
# Tokens of the products that kernbench is compared at; those of 70b are compared with Vidur's.
COMPARED = {"70b": (), "8b": (1, 32, 128, 512), "head": (1, 128)}
RESOLVED_NS = 10  # below, added latencies are not compared: those of the lightest loads do not even rise with the load


def number(value):
    """Four significant digits, without an exponent."""
    return f"{value:.4g}" if value < 10000 else f"{value:.0f}"


def percent(part):
    return f"{100 * part:.1f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "".join(line + "\n" for line in lines)


class Device:
    """What the two programs printed of one device."""

    def __init__(self, memory, energy, peak_tflops=None):
        self.memory = memory
        self.energy = energy
        self.peak_tflops = peak_tflops or BF16_TFLOPS.get(memory["device"]["name"])

    @property
    def peak_gbs(self):
        """2 x clock x width: both edges of the clock carry data."""
        device = self.memory["device"]
        return 2 * device["memory_clock_khz"] * 1e3 * device["bus_bits"] / 8 / 1e9

    def energy_gbs(self, name):
        """The rate that energy.py printed; None when it has no such run."""
        return self.energy[name]["rate"] / 1e9 if name in self.energy else None

    def watts_above_idle(self, name):
        return self.energy[name]["watts"] - self.energy["idle"]["watts"]


def streams(device):
    names = {"read": ("read", "hbm_sequential_read"), "write": ("write", "hbm_sequential_write")}
    names.update({f"mix_{n}_of_256_written": (f"{n}/256 written", "") for n in (32, 64, 128, 192)})
    names["mix_128_of_256_written"] = ("128/256 written", "hbm_sequential_half_written")
    rows = []
    for key, (words, run) in names.items():
        row = [words]
        for rate in (device.memory["sequential"][key], device.energy_gbs(run)):
            row += [number(rate), percent(rate / device.peak_gbs)] if rate else ["", ""]
        rows.append(row)
    return table(["Stream", "rate [GB/s]", "of peak [%]", "in `energy.py` [GB/s]", "of peak [%]"], rows)


def random(device):
    read, mixed = device.memory["random_read"], device.memory["random_mix_half_written"]
    sequential = device.memory["sequential"]
    rows = []
    for size, rate in read.items():
        long = device.energy_gbs(f"hbm_random_{size}B_read")
        rows.append([size, number(rate), percent(rate / sequential["read"]), f"{rate / int(size):.1f}",
                     number(long) if long else "", number(mixed[size]),
                     percent(mixed[size] / sequential["mix_128_of_256_written"])])
    return table(["Bytes", "read [GB/s]", "of sequential [%]", "reads per ns", "read in `energy.py` [GB/s]",
                  "half written [GB/s]", "of sequential half written [%]"], rows)


def pitch(device):
    at_random = device.memory["random_read"]["64"]
    rows = [[size, number(rate), percent(rate / device.peak_gbs), percent(rate / at_random)]
            for size, rate in device.memory["pitch_read_64B"].items()]
    return table(["Pitch [B]", "rate [GB/s]", "of peak [%]", "of random reads of 64 B [%]"], rows)


def idle_ns(device):
    return device.memory["loaded_latency"]["1_0"]["ns"]


def loaded_latency(device):
    rows = []
    for load in device.memory["loaded_latency"].values():
        rate = load["background_gbs"]
        rows.append([number(rate), percent(rate / device.peak_gbs), number(load["ns"]),
                     f"{load['ns'] / idle_ns(device):.3f}", f"{load['ns'] - idle_ns(device):.1f}"])
    return table(["Load [GB/s]", "of peak [%]", "latency [ns]", "of idle", "added [ns]"], rows)


def matmul(device):
    times = {}
    for key, time_us in device.memory["matmul_us"].items():
        name, tokens = re.fullmatch(r"(\S+) m=(\d+)", key).groups()
        times.setdefault(name, {})[int(tokens)] = time_us
    rows = []
    for name, by_tokens in times.items():
        inner, width = WEIGHTS[name]
        row = [name, f"{inner} x {width}"]
        for tokens, time_us in by_tokens.items():
            memory_us = BF16_BYTES * inner * width / device.peak_gbs / 1e3
            array_us = 2 * tokens * inner * width / device.peak_tflops / 1e6
            mark = "" if memory_us >= array_us else "*"
            row.append(f"{time_us:.1f} ({100 * max(memory_us, array_us) / time_us:.0f}{mark})")
        rows.append(row)
    return table(["Weights", "k x n", *(f"m = {m}" for m in times["8b_o"])], rows)


def decode_attention(device):
    rows = []
    for key, time_us in device.memory["attention_us"].items():
        found = re.fullmatch(r"(\S+) decode b=(\d+) ctx=(\d+)", key)
        if not found:
            continue
        name, batch, context = found[1], int(found[2]), int(found[3])
        kv_bytes = 2 * BF16_BYTES * batch * context * KV_HEADS[name] * HEAD_DIM
        rate = kv_bytes / time_us / 1e3
        in_l2 = kv_sets(batch, context, KV_HEADS[name]) * kv_bytes <= device.memory["device"]["l2_bytes"]
        rows.append([name, batch, context, f"{kv_bytes / 1e6:.2f}", f"{time_us:.1f}", number(rate),
                     "in the L2" if in_l2 else percent(rate / device.peak_gbs)])
    return table(["Heads", "sequences", "context", "K and V [MB]", "time [us]", "K and V [GB/s]", "of peak [%]"], rows)


def prefill_attention(device):
    rows = []
    for key, time_us in device.memory["attention_us"].items():
        found = re.fullmatch(r"(\S+) prefill (\d+)", key)
        if found:
            name, tokens = found[1], int(found[2])
            tflops = 4 * QUERY_HEADS[name] * tokens**2 * HEAD_DIM / 2 / time_us / 1e6
            rows.append([name, tokens, f"{time_us:.1f}", number(tflops), percent(tflops / device.peak_tflops)])
    return table(["Heads", "tokens", "time [us]", "rate [TFLOP/s]", "of peak [%]"], rows)


def energy(device):
    rows = []
    for name, run in device.energy.items():
        if not isinstance(run, dict) or "watts" not in run:
            continue
        row = [name, f"{run['watts']:.1f}", f"{device.watts_above_idle(name):.1f}", "", "", run["sm_mhz"]]
        if run.get("rate"):
            of_bytes = run["rate_of"].startswith("byte")
            rate, unit = (run["rate"] / 1e9, "GB/s") if of_bytes else (run["rate"] / 1e12, "TFLOP/s")
            picojoules = device.watts_above_idle(name) / run["rate"] * 1e12 / (8 if of_bytes else 1)
            row[3:5] = [f"{number(rate)} {unit}", f"{picojoules:.3g} pJ/{'bit' if of_bytes else 'FLOP'}"]
        rows.append(row)
    return table(["Run", "power [W]", "above idle [W]", "rate", "energy above idle", "SM clock [MHz]"], rows)


def energy_parts(device):
    """What differences between runs say, per bit."""
    def pj_per_bit(name):
        return device.watts_above_idle(name) / device.energy[name]["rate"] / 8 * 1e12

    sequential, l2 = pj_per_bit("hbm_sequential_read"), pj_per_bit("l2_read_16MiB")
    zeros = pj_per_bit("hbm_sequential_read_of_zeros")
    accesses = device.energy["hbm_random_64B_read"]["rate"] / 64
    second = device.watts_above_idle("hbm_random_64B_read") - device.watts_above_idle("hbm_random_32B_read")
    rows = [
        ["L2 to SM", "read of 16 MiB in the L2", l2],
        ["HBM to L2", "sequential read - read of 16 MiB in the L2", sequential - l2],
        ["data that change", "sequential read - the same of zeros", sequential - zeros],
        ["second 32 B of a random read", "(W of 64 B - W of 32 B) / (reads of 64 B per s x 32 B)",
         second / accesses / 32 / 8 * 1e12],
    ]
    return table(["Part", "formula", "energy [pJ/bit]"], [[*row[:2], f"{row[2]:.3g}"] for row in rows])


TABLES = {
    "streams": streams,
    "random": random,
    "pitch": pitch,
    "loaded latency": loaded_latency,
    "matmul": matmul,
    "decode attention": decode_attention,
    "prefill attention": prefill_attention,
    "energy": energy,
    "parts of energy": energy_parts,
}


def outside_figures(device):
    """Rows of outside_figures.csv: program, scenario, parameter, its value, figure, value, unit. Streams are those of
    energy.py, which runs each for three seconds; all else is of hbm_and_kernels.py, also what a share is of."""
    for scenario, name in (("sequential reads", "hbm_sequential_read"), ("sequential writes", "hbm_sequential_write"),
                           ("sequential, half of the blocks written", "hbm_sequential_half_written")):
        share = percent(device.energy_gbs(name) / device.peak_gbs)
        yield ("energy.py", scenario, "bytes", "512", "share of peak", share, "%")
    program, at_random = "hbm_and_kernels.py", device.memory["random_read"]
    for size, rate in at_random.items():
        share = percent(rate / device.memory["sequential"]["read"])
        yield (program, "random reads", "bytes", size, "share of sequential", share, "%")
    for size in PITCHES:
        share = percent(device.memory["pitch_read_64B"][str(size)] / at_random["64"])
        yield (program, "reads of 64 B at a pitch", "pitch", str(size), "share of random", share, "%")
    for key in LOADED:
        load = device.memory["loaded_latency"][key]
        case = (program, "read among random reads of 64 B", "load in % of peak",
                percent(load["background_gbs"] / device.peak_gbs))
        yield (*case, "latency", f"{load['ns'] / idle_ns(device):.3f}", "of idle")
        if load["ns"] - idle_ns(device) >= RESOLVED_NS:
            yield (*case, "added latency", f"{load['ns'] - idle_ns(device):.1f}", "ns")


def outside_products(device):
    """The same of the products that products.csv has."""
    for key, time_us in device.memory["matmul_us"].items():
        name, tokens = re.fullmatch(r"(\S+) m=(\d+)", key).groups()
        if int(tokens) in COMPARED[name.split("_")[0]]:
            yield ("hbm_and_kernels.py", f"product {name}", "tokens", tokens, "time", f"{time_us:.1f}", "us")


def read(path, program):
    try:
        with open(path) as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"tables.py: {path}: {error}")
    if not isinstance(found, dict) or found.get("program") != program:
        sys.exit(f"tables.py: {path} is not what {program} prints")
    return found


def make_device(memory_path, energy_path, peak_tflops=None):
    """The device of two files, which have to be of the same one and complete."""
    memory, energy_of = read(memory_path, "hbm_and_kernels.py"), read(energy_path, "energy.py")
    name = memory["device"]["name"]
    if energy_of["device"]["name"] != name:
        sys.exit(f"tables.py: {memory_path} is of {name}, {energy_path} of {energy_of['device']['name']}")
    if "torch_error" in memory:
        sys.exit(f"tables.py: {memory_path} has no kernels of models: {memory['torch_error']}")
    device = Device(memory, energy_of, peak_tflops)
    if device.peak_tflops is None:
        sys.exit(f"tables.py: the peak of bf16 of {name} is not known; give --bf16-tflops")
    return device


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("memory", help="what hbm_and_kernels.py printed")
    parser.add_argument("energy", help="what energy.py printed")
    parser.add_argument("--outside", action="store_true", help="figures as rows of outside_figures.csv instead")
    parser.add_argument("--bf16-tflops", type=float, help="peak rate of dense bf16 in TFLOP/s (default: as known)")
    options = parser.parse_args()
    device = make_device(options.memory, options.energy, options.bf16_tflops)
    if options.outside:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows(outside_figures(device))
        writer.writerows(outside_products(device))
        return
    for name, make in TABLES.items():
        print(f"{name}\n\n{make(device)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures a GPU with HBM: memory access patterns, loaded latency, and the kernels of Llama-like models.

Prints JSON on standard output after about half a minute; README.md of this folder says what its fields mean. Needs one
GPU with 24 GiB of free memory and cupy; the kernels of models need torch with CUDA, too, and are left out without it.
"""

import argparse
import json
import sys
import time

import gpu

SOURCE = r"""
// Each group of `lanes` threads moves one block of lanes * 16 bytes per iteration, in sequence (mode 0), at random (1)
// or at a pitch (2). A block is written when mix(...) % 256 < writes, and read otherwise.
__global__ void access(float4* base, unsigned long long blocks, int lanes, int mode, unsigned long long pitch_blocks,
                       int iterations, int writes, float* sink) {
  unsigned long long thread = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  unsigned long long groups = gridDim.x * (unsigned long long)blockDim.x / lanes;
  unsigned long long group = thread / lanes;
  int lane = thread % lanes;
  float4 sum = {0, 0, 0, 0};
  #pragma unroll 4
  for (int i = 0; i < iterations; ++i) {
    unsigned long long number = group + groups * i;
    unsigned long long block = (mode == 0   ? number
                                : mode == 1 ? mix(number * 2 + 1)
                                            : number * pitch_blocks + (number * pitch_blocks) / blocks) & (blocks - 1);
    float4* place = base + block * lanes + lane;
    if (writes && (int)(mix(number) & 255) < writes) {
      float4 value = {1, 2, 3, (float)i};
      *place = value;
    } else {
      float4 value = __ldcg(place);
      sum.x += value.x;
      sum.y += value.y;
      sum.z += value.z;
      sum.w += value.w;
    }
  }
  if (sum.x + sum.y + sum.z + sum.w == 1.2345e30f) *sink = sum.x;  // keeps the reads
}

// Thread block 0 follows a chain of addresses; the others read 64 B at random until it has ended. `cycles` are those
// of the chain, `bytes` those of the others.
__global__ void loaded(const unsigned long long* chain, int steps, float4* base, unsigned long long blocks,
                       volatile int* stop, unsigned long long* cycles, unsigned long long* bytes, float* sink,
                       int pause) {
  if (blockIdx.x == 0) {
    if (threadIdx.x) return;
    unsigned long long place = 0;
    long long begin = clock64();
    for (int i = 0; i < steps; ++i) place = __ldcg(chain + place);
    *cycles = clock64() - begin;
    *stop = 1;
    if (place == 12345678901ULL) *sink = 1;
    return;
  }
  unsigned long long thread = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x, reads = 0;
  float sum = 0;
  int lane = thread % 4;
  unsigned long long group = thread / 4;
  while (!*stop) {
    for (int i = 0; i < 8; ++i) {
      float4 value = __ldcg(base + (mix((group << 32) + reads) & (blocks - 1)) * 4 + lane);
      sum += value.x;
      ++reads;
    }
    if (pause) __nanosleep(pause);
  }
  atomicAdd(bytes, reads * 16);
  if (sum == 1.2345e30f) *sink = sum;
}
"""

MEMORY_BYTES = 16 << 30  # a power of two: blocks are chosen by a mask
ITERATIONS = 1024  # kernels of 3 ms or more on an H100
REPETITIONS = 9
SEQUENTIAL, RANDOM, PITCH = 0, 1, 2
LANES = (2, 4, 8, 16, 32)  # accesses of 32 to 512 B
WRITTEN_OF_256 = (32, 64, 128, 192)
PITCHES = (*(64 << n for n in range(15)), 4096 + 64, 65536 + 64)
CHAIN_ELEMENTS = 1 << 23
CHAIN_STEPS = 20000
# Thread blocks, of which the first follows the chain, and the pause in ns of the others after 8 reads.
LOADS = ((1, 0), (33, 2000), (33, 200), (67, 0), (133, 0), (265, 0), (529, 0), (1057, 0))
MAX_L2_FETCH_GRANULARITY = 5  # cudaLimitMaxL2FetchGranularity

# Inner and output dimension of the weights: Llama 70B over 8 devices, 8B on one, and the head of its vocabulary.
WEIGHTS = {
    "70b_tp8_qkv": (8192, 1280),
    "70b_tp8_o": (1024, 8192),
    "70b_tp8_gate_up": (8192, 7168),
    "70b_tp8_down": (3584, 8192),
    "8b_qkv": (4096, 6144),
    "8b_o": (4096, 4096),
    "8b_gate_up": (4096, 28672),
    "8b_down": (14336, 4096),
    "head_128256": (4096, 128256),
}
TOKENS = (1, 8, 32, 128, 512, 2048)
HEADS = ((8, 1, "70b_tp8"), (32, 8, "8b"))  # query heads, K/V heads
HEAD_DIM = 128
BATCH_AND_CONTEXT = ((1, 1024), (1, 4096), (1, 16384), (8, 1024), (8, 4096), (32, 1024), (32, 4096))
PREFILLS = (512, 2048)


class Memory:
    """The memory of a device under access patterns."""

    def __init__(self, cupy):
        self.cp = cupy
        module = gpu.compile_cuda(cupy, SOURCE)
        self.access = module.get_function("access")
        self.loaded = module.get_function("loaded")
        device = cupy.cuda.Device()
        self.properties = cupy.cuda.runtime.getDeviceProperties(device.id)
        self.grid = self.properties["multiProcessorCount"] * gpu.BLOCKS_PER_SM

    def describe(self, out):
        properties = self.properties
        out["device"] = {
            "name": properties["name"].decode(),
            "sms": properties["multiProcessorCount"],
            "memory_clock_khz": properties.get("memoryClockRate"),
            "bus_bits": properties.get("memoryBusWidth"),
            "l2_bytes": properties.get("l2CacheSize"),
        }
        try:
            self.cp.cuda.runtime.deviceSetLimit(MAX_L2_FETCH_GRANULARITY, 32)
        except Exception as error:  # a hint that a device may refuse
            out["fetch_granularity"] = str(error)

    def reserve(self):
        self.buffer = self.cp.zeros(MEMORY_BYTES // 4, dtype=self.cp.float32)
        self.sink = self.cp.zeros(1, dtype=self.cp.float32)

    def seconds(self, kernel, ahead, repetitions):
        """Median time of a kernel. `ahead` empties the L2, and the host starts the timed kernels while it runs."""
        events = [self.cp.cuda.Event() for _ in range(repetitions + 1)]
        ahead()
        events[0].record()
        for event in events[1:]:
            kernel()
            event.record()
        events[-1].synchronize()
        times = sorted(self.cp.cuda.get_elapsed_time(begin, end) for begin, end in zip(events, events[1:]))
        return times[len(times) // 2] * 1e-3

    def accesses(self, lanes, mode, pitch, writes):
        """An action that starts the kernel; its arguments are made here, once."""
        cp = self.cp
        blocks = MEMORY_BYTES // (lanes * gpu.BYTES_PER_THREAD)
        arguments = (self.buffer, cp.uint64(blocks), cp.int32(lanes), cp.int32(mode), cp.uint64(pitch),
                     cp.int32(ITERATIONS), cp.int32(writes), self.sink)
        return lambda: self.access((self.grid,), (gpu.THREADS,), arguments)

    def kernel_bytes(self):
        return self.grid * gpu.THREADS * gpu.BYTES_PER_THREAD * ITERATIONS

    def gbs(self, lanes, mode, pitch=1, writes=0):
        """Payload in GB/s."""
        kernel = self.accesses(lanes, mode, pitch, writes)
        return self.kernel_bytes() / self.seconds(kernel, kernel, REPETITIONS) / 1e9

    def patterns(self, out):
        out["unit"] = "GB/s of payload; ns"
        out["kernel_bytes"] = self.kernel_bytes()
        out["sequential"] = {
            "read": self.gbs(32, SEQUENTIAL),
            "write": self.gbs(32, SEQUENTIAL, writes=256),
        }
        for written in WRITTEN_OF_256:
            rate = self.gbs(32, SEQUENTIAL, writes=written)
            out["sequential"][f"mix_{written}_of_256_written"] = rate
        out["random_read"] = {str(n * gpu.BYTES_PER_THREAD): self.gbs(n, RANDOM) for n in LANES}
        out["random_mix_half_written"] = {
            str(n * gpu.BYTES_PER_THREAD): self.gbs(n, RANDOM, writes=128) for n in LANES
        }
        out["pitch_read_64B"] = {str(pitch): self.gbs(4, PITCH, pitch=pitch // 64) for pitch in PITCHES}

    def make_chain(self):
        """A chain over 4 GiB: an element every 512 B, in random order."""
        order = self.cp.random.permutation(CHAIN_ELEMENTS)
        chain = self.cp.zeros(CHAIN_ELEMENTS * 64, dtype=self.cp.uint64)
        chain[order * 64] = self.cp.roll(order, -1).astype(self.cp.uint64) * 64
        return chain

    def loaded_latency(self, chain):
        cp = self.cp
        latency = {}
        ahead = self.accesses(4, RANDOM, 1, 0)
        for grid, pause in LOADS:
            stop = cp.zeros(1, dtype=cp.int32)
            cycles = cp.zeros(1, dtype=cp.uint64)
            moved = cp.zeros(1, dtype=cp.uint64)
            arguments = (chain, cp.int32(CHAIN_STEPS), self.buffer, cp.uint64(MEMORY_BYTES // 64), stop, cycles, moved,
                         self.sink, cp.int32(pause))
            seconds = self.seconds(lambda: self.loaded((grid,), (128,), arguments), ahead, 1)
            latency[f"{grid}_{pause}"] = {
                "ns": seconds * 1e9 / CHAIN_STEPS,
                "background_gbs": float(moved[0]) / seconds / 1e9,
                "cycles": float(cycles[0]) / CHAIN_STEPS,
            }
        return latency


def measure_memory(out):
    cupy = gpu.import_cupy()
    memory = Memory(cupy)
    memory.describe(out)
    gpu.reserve(memory.reserve)
    memory.patterns(out)
    chain = gpu.reserve(memory.make_chain)
    out["loaded_latency"] = memory.loaded_latency(chain)
    del memory, chain
    cupy.get_default_memory_pool().free_all_blocks()


def kv_sets(batch, context, kv_heads):
    """How many sets of K and V are read in turn: 200 MB together, but at most 12."""
    return max(1, min(12, int(2e8 // (batch * context * kv_heads * HEAD_DIM * 4)) + 1))


class Kernels:
    """Kernels of models in bf16, in us of one kernel."""

    def __init__(self, torch):
        self.torch = torch
        torch.manual_seed(0)

    def random(self, *shape):
        return self.torch.randn(*shape, device="cuda", dtype=self.torch.bfloat16)

    def graph_of(self, kernels):
        """A CUDA graph of the kernels one after the other, which ran once."""
        torch = self.torch
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for kernel in kernels[:3]:
                kernel()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for kernel in kernels:
                kernel()
        graph.replay()
        torch.cuda.synchronize()
        return graph

    def microseconds(self, kernels, repetitions=20):
        """Median time of one of the kernels."""
        torch = self.torch
        graph = self.graph_of(kernels)
        times = []
        for _ in range(repetitions):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / len(kernels))
        return sorted(times)[len(times) // 2]

    def matmuls(self):
        """Products with weights in turn, of at least 300 MB together, so that the L2 holds none."""
        torch = self.torch
        times = {}
        for name, (inner, width) in WEIGHTS.items():
            copies = max(3, min(24, int(3e8 // (2 * inner * width)) + 1))
            weights = [self.random(inner, width) for _ in range(copies)]
            for tokens in TOKENS:
                x = self.random(tokens, inner)
                y = torch.empty(tokens, width, device="cuda", dtype=torch.bfloat16)
                times[f"{name} m={tokens}"] = self.microseconds(
                    [lambda w=w: torch.matmul(x, w, out=y) for w in weights])
            del weights
        return times

    def decode_us(self, query_heads, kv_heads, batch, context):
        """Attention of one token per sequence over sets of K and V in turn."""
        q = self.random(batch, query_heads, 1, HEAD_DIM)
        shape = (batch, kv_heads, context, HEAD_DIM)
        kv = [(self.random(*shape), self.random(*shape)) for _ in range(kv_sets(batch, context, kv_heads))]
        attention = self.torch.nn.functional.scaled_dot_product_attention
        return self.microseconds([lambda k=k, v=v: attention(q, k, v, enable_gqa=True) for k, v in kv])

    def prefill_us(self, query_heads, kv_heads, tokens):
        q = self.random(1, query_heads, tokens, HEAD_DIM)
        k, v = (self.random(1, kv_heads, tokens, HEAD_DIM) for _ in range(2))
        attention = self.torch.nn.functional.scaled_dot_product_attention
        return self.microseconds([lambda: attention(q, k, v, is_causal=True, enable_gqa=True)] * 4)

    def attentions(self):
        times = {}
        for query_heads, kv_heads, name in HEADS:
            for batch, context in BATCH_AND_CONTEXT:
                time_us = self.decode_us(query_heads, kv_heads, batch, context)
                times[f"{name} decode b={batch} ctx={context}"] = time_us
            for tokens in PREFILLS:
                times[f"{name} prefill {tokens}"] = self.prefill_us(query_heads, kv_heads, tokens)
        return times

    def rms_norm_us(self):
        x = self.random(32, 8192)
        weights = self.torch.ones(8192, device="cuda", dtype=self.torch.bfloat16)
        return self.microseconds([lambda: self.torch.nn.functional.rms_norm(x, (8192,), weights)] * 16)


def measure_kernels(out):
    import torch

    kernels = Kernels(torch)
    out["matmul_us"] = kernels.matmuls()
    out["attention_us"] = kernels.attentions()
    out["rms_norm_32x8192_us"] = kernels.rms_norm_us()
    out["torch"] = torch.__version__


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    out = {"schema": 1, "program": "hbm_and_kernels.py", "when": time.strftime("%Y-%m-%d")}
    measure_memory(out)
    try:
        measure_kernels(out)
    except Exception as error:  # what was measured of the memory is printed all the same
        print(f"{sys.argv[0]}: kernels are left out: {error!r}", file=sys.stderr)
        out["torch_error"] = repr(error)
    json.dump(out, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()

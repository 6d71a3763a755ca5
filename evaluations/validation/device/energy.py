#!/usr/bin/env python3
"""Measures the energy of a GPU by what it does: NVML's counter of energy over three seconds of each kernel.

Prints JSON on standard output after about 90 s, and each figure on standard error when it is there; README.md of this
folder says what its fields mean. Needs one GPU with 24 GiB of free memory, NVML (of NVIDIA's driver), cupy, and torch
with CUDA. Nothing else may run on the GPU.
"""

import argparse
import ctypes
import json
import sys
import time

import gpu

SOURCE = r"""
// Each group of `lanes` threads moves one block of lanes * 16 bytes per iteration, in sequence (mode 0) or at random
// (1). A block is written when mix(...) % 256 < writes, with random finite numbers, and read otherwise.
__global__ void access(float4* base, unsigned long long blocks, int lanes, int mode, int iterations, int writes,
                       unsigned long long seed, float* sink) {
  unsigned long long thread = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  unsigned long long groups = gridDim.x * (unsigned long long)blockDim.x / lanes, group = thread / lanes;
  int lane = thread % lanes;
  float4 sum = {0, 0, 0, 0};
  #pragma unroll 4
  for (int i = 0; i < iterations; ++i) {
    unsigned long long number = group + groups * i + seed;
    unsigned long long block = (mode == 0 ? number : mix(number * 2 + 1)) & (blocks - 1);
    float4* place = base + block * lanes + lane;
    if (writes && (int)(mix(number) & 255) < writes) {
      unsigned bits = (unsigned)mix(number * 64 + lane);
      float4 value = {__uint_as_float(bits & 0xbfffffffu), __uint_as_float((bits * 3u) & 0xbfffffffu),
                      __uint_as_float((bits * 5u) & 0xbfffffffu), __uint_as_float((bits * 7u) & 0xbfffffffu)};
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

// Four fused multiply-adds in f32 per iteration.
__global__ void alu(int iterations, float* sink) {
  float a = threadIdx.x, b = 1.0001f, c = 0.5f, d = 0.25f, e = 0.125f;
  for (int i = 0; i < iterations; ++i) {
    a = a * b + c;
    c = c * b + d;
    d = d * b + e;
    e = e * b + a;
  }
  if (a + c + d + e == 1.2345e30f) *sink = a;
}
"""

UNIT = ("W; bytes and operations per second; per-byte and per-operation energies are above the power of an idle device "
        "with clocks up")
MEMORY_BYTES = 16 << 30  # a power of two: blocks are chosen by a mask
SEQUENTIAL, RANDOM = 0, 1
CLOCK_SM, CLOCK_MEMORY = 1, 2  # nvmlClockType_t
WARM_UP_S = 1.0
MEASURED_S = 3.0
IDLE_S = 4.0
ALU_ITERATIONS = 40000
ALU_FLOP = 8  # of an iteration of alu()


class Nvml:
    """The counter of energy and the clocks of device 0."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError as error:
            gpu.fail(f"needs NVML, which comes with NVIDIA's driver: {error}")
        self.device = ctypes.c_void_p()
        self.check("nvmlInit_v2", self.library.nvmlInit_v2())
        self.check("nvmlDeviceGetHandleByIndex_v2",
                   self.library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)))

    @staticmethod
    def check(function, code):
        if code != 0:
            gpu.fail(f"{function} of NVML fails with code {code}")

    def millijoules(self):
        value = ctypes.c_ulonglong()
        code = self.library.nvmlDeviceGetTotalEnergyConsumption(self.device, ctypes.byref(value))
        self.check("nvmlDeviceGetTotalEnergyConsumption", code)
        return value.value

    def mhz(self, clock):
        value = ctypes.c_uint()
        self.library.nvmlDeviceGetClockInfo(self.device, clock, ctypes.byref(value))
        return value.value


class Meter:
    """Power and rate of kernels, which are actions that start one."""

    def __init__(self, cupy, torch, nvml, out):
        self.cp = cupy
        self.torch = torch
        self.nvml = nvml
        self.out = out

    def wait(self):
        self.cp.cuda.Device().synchronize()
        self.torch.cuda.synchronize()

    def idle(self):
        energy = self.nvml.millijoules()
        begin = time.perf_counter()
        time.sleep(IDLE_S)
        watts = (self.nvml.millijoules() - energy) / 1e3 / (time.perf_counter() - begin)
        self.out["idle"] = {
            "watts": watts,
            "sm_mhz": self.nvml.mhz(CLOCK_SM),
            "memory_mhz": self.nvml.mhz(CLOCK_MEMORY),
        }

    def warm_up(self, kernel):
        kernel()
        self.wait()
        begin = time.perf_counter()
        while time.perf_counter() - begin < WARM_UP_S:
            for _ in range(4):
                kernel()
            self.wait()

    def measure(self, name, kernel, amount, unit):
        """`amount` is how many of `unit` one kernel does. Clocks are read while kernels run."""
        self.warm_up(kernel)
        energy = self.nvml.millijoules()
        begin = time.perf_counter()
        count = 0
        clocks = []
        while time.perf_counter() - begin < MEASURED_S:
            for _ in range(4):
                kernel()
                count += 1
            clocks.append((self.nvml.mhz(CLOCK_SM), self.nvml.mhz(CLOCK_MEMORY)))
            self.wait()
        end = time.perf_counter()
        joules = (self.nvml.millijoules() - energy) / 1e3
        seconds = end - begin
        sm_mhz, memory_mhz = clocks[len(clocks) // 2]
        self.out[name] = {
            "watts": joules / seconds,
            "rate": amount * count / seconds,
            "rate_of": unit,
            "sm_mhz": sm_mhz,
            "memory_mhz": memory_mhz,
            "seconds": seconds,
        }
        print(name, self.out[name], file=sys.stderr)


class Accesses:
    """Kernels that read and write memory with random contents."""

    def __init__(self, cupy):
        self.cp = cupy
        module = gpu.compile_cuda(cupy, SOURCE)
        self.access = module.get_function("access")
        self.alu = module.get_function("alu")
        sms = cupy.cuda.runtime.getDeviceProperties(0)["multiProcessorCount"]
        self.grid = sms * gpu.BLOCKS_PER_SM
        self.seed = 0

    def reserve(self):
        count = MEMORY_BYTES // 4
        self.buffer = self.cp.empty(count, dtype=self.cp.float32)
        step = 1 << 28
        for begin in range(0, count, step):
            part = self.cp.random.standard_normal(min(step, count - begin), dtype=self.cp.float32)
            self.buffer[begin:begin + step] = part
        self.sink = self.cp.zeros(1, dtype=self.cp.float32)

    def reserve_zeros(self):
        self.zeros = self.cp.zeros(1 << 28, dtype=self.cp.float32)

    def start(self, buffer, memory_bytes, lanes, mode, iterations, writes, seed):
        cp = self.cp
        blocks = memory_bytes // (lanes * gpu.BYTES_PER_THREAD)
        self.access((self.grid,), (gpu.THREADS,),
                    (buffer, cp.uint64(blocks), cp.int32(lanes), cp.int32(mode), cp.int32(iterations),
                     cp.int32(writes), cp.uint64(seed), self.sink))

    def kernel(self, lanes, mode, iterations, writes=0, memory_bytes=MEMORY_BYTES):
        """An action that begins at other addresses each time."""
        def go():
            self.seed += 1
            self.start(self.buffer, memory_bytes, lanes, mode, iterations, writes, self.seed * 7919 * 1024)
        return go

    def read_zeros(self):
        self.start(self.zeros, 1 << 30, 32, SEQUENTIAL, 1024, 0, 0)

    def start_alu(self, grid, threads, iterations):
        self.alu((grid,), (threads,), (self.cp.int32(iterations), self.sink))

    def bytes_of(self, iterations):
        return self.grid * gpu.THREADS * gpu.BYTES_PER_THREAD * iterations


def measure_memory(meter, accesses):
    """Names, lanes (of 16 B each), mode, iterations and blocks written of 256."""
    threads = accesses.grid * gpu.THREADS
    meter.measure("one_warp_awake", lambda: accesses.start_alu(1, 32, 2000000), 0, "none")
    meter.measure("alu_fp32", lambda: accesses.start_alu(accesses.grid, gpu.THREADS, ALU_ITERATIONS),
                  threads * ALU_ITERATIONS * ALU_FLOP, "flop")
    for name, lanes, mode, iterations, writes in (
            ("hbm_sequential_read", 32, SEQUENTIAL, 1024, 0),
            ("hbm_sequential_write", 32, SEQUENTIAL, 1024, 256),
            ("hbm_sequential_half_written", 32, SEQUENTIAL, 1024, 128),
            ("hbm_random_64B_read", 4, RANDOM, 256, 0),
            ("hbm_random_32B_read", 2, RANDOM, 128, 0),
            ("hbm_random_512B_read", 32, RANDOM, 512, 0),
    ):
        kernel = accesses.kernel(lanes, mode, iterations, writes)
        meter.measure(name, kernel, accesses.bytes_of(iterations), "byte")
    meter.measure("l2_read_16MiB", accesses.kernel(32, SEQUENTIAL, 1024, memory_bytes=16 << 20),
                  accesses.bytes_of(1024), "byte")
    gpu.reserve(accesses.reserve_zeros)
    meter.measure("hbm_sequential_read_of_zeros", accesses.read_zeros, accesses.bytes_of(1024), "byte")


def matmul(torch, m, k, n, dtype, make="randn", weights=1):
    """An action: a product with the next of some matrices of weights."""
    create = getattr(torch, make)
    a = create(m, k, device="cuda", dtype=dtype)
    all_weights = [create(k, n, device="cuda", dtype=dtype) for _ in range(weights)]
    result = torch.empty(m, n, device="cuda", dtype=dtype)
    turn = 0

    def go():
        nonlocal turn
        turn += 1
        torch.matmul(a, all_weights[turn % weights], out=result)
    return go


def measure_matmuls(meter, torch):
    # All operands of these four exist at the same time. TF32 is allowed from the moment that it is measured.
    cubes = (
        ("matmul_bf16_8192", matmul(torch, 8192, 8192, 8192, torch.bfloat16), 8192),
        ("matmul_bf16_8192_zeros", matmul(torch, 8192, 8192, 8192, torch.bfloat16, "zeros"), 8192),
        ("matmul_fp16_8192", matmul(torch, 8192, 8192, 8192, torch.float16), 8192),
        ("matmul_tf32_4096", None, 4096),
        ("matmul_bf16_2048", matmul(torch, 2048, 2048, 2048, torch.bfloat16), 2048),
    )
    for name, kernel, size in cubes:
        if kernel is None:
            torch.backends.cuda.matmul.allow_tf32 = True
            kernel = matmul(torch, size, size, size, torch.float32)
        meter.measure(name, kernel, 2 * size**3, "flop")
    torch.backends.cuda.matmul.allow_tf32 = False
    for name, tokens in (("matvec_bf16_8192x28672", 1), ("decode32_bf16_8192x28672", 32)):
        kernel = matmul(torch, tokens, 8192, 28672, torch.bfloat16, weights=4)
        meter.measure(name, kernel, 2 * 8192 * 28672, "byte of weights")


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    cupy = gpu.import_cupy()
    try:
        import torch
    except ImportError as error:
        gpu.fail(f"needs torch with CUDA: {error}")
    if not torch.cuda.is_available():
        gpu.fail("needs torch with CUDA: this torch finds no GPU")
    nvml = Nvml()
    accesses = Accesses(cupy)
    gpu.reserve(accesses.reserve)
    out = {"schema": 1, "program": "energy.py", "when": time.strftime("%Y-%m-%d")}
    out["device"] = {"name": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()}
    out["unit"] = UNIT
    meter = Meter(cupy, torch, nvml, out)
    meter.idle()
    measure_memory(meter, accesses)
    measure_matmuls(meter, torch)
    json.dump(out, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()

"""A test bench in another process: uploads two matrices, launches a GEMM as a driver does, and checks the product.

    kernbench serve --remote-port unix:kb.sock --topology configs/one_pe.yaml &
    PYTHONPATH=python python3 examples/remote/test_bench.py kb.sock
"""

import struct
import sys
import time

from kernbench.remote_port import RemotePort

HBM = 0x2000000000  # physical address of the first PE's HBM
M, K, N = 16, 32, 16
QUEUE, ARGS = 0x1000, 0x2000  # in host memory
LAUNCH, COPY_TO_HOST, FENCE = 1, 3, 4
QUEUE_BASE, QUEUE_SIZE, DOORBELL, DONE_COUNT, ERROR, IRQ_STATUS, IRQ_MASK = 0x08, 0x10, 0x14, 0x18, 0x20, 0x24, 0x28


def kernel_hash(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def descriptor(op, flags=0, kernel=0, args=0, arg_count=0, cubes=0, pes=0, host=0, device=0, count=0):
    return struct.pack("<2I2Q2I5Q56x", op, flags, kernel, args, arg_count, 0, cubes, pes, host, device, count)


def tensor(address, dtype, rows, cols):
    return struct.pack("<2I4Q2I2Q", 1, dtype, address, rows, cols, 0, 0, 0, 0, 0)


def integer(value):
    return struct.pack("<2IQ48x", 2, 0, value)


def main():
    port = RemotePort(sys.argv[1])
    a = [[(3 * row + col) % 7 - 3 for col in range(K)] for row in range(M)]
    b = [[(row + 2 * col) % 5 - 2 for col in range(N)] for row in range(K)]
    # Operands go straight into the machine's memory, row by row. Each write waits for its answer: the launch could
    # overtake posted writes and compute with what was there before.
    for row in range(M):
        port.write(HBM + row * K, struct.pack(f"{K}b", *a[row]))
    for row in range(K):
        port.write(HBM + 0x10000 + row * N, struct.pack(f"{N}b", *b[row]))
    args = [tensor(HBM, 3, M, K), tensor(HBM + 0x10000, 3, K, N), tensor(HBM + 0x20000, 5, M, N)]
    args += [integer(M), integer(K), integer(N)] + [bytes(64)] * 3
    port.host_memory[ARGS : ARGS + 64 * len(args)] = b"".join(args)
    queue = [
        descriptor(LAUNCH, kernel=kernel_hash("gemm"), args=ARGS, arg_count=len(args), cubes=1, pes=1),
        descriptor(FENCE),
        descriptor(COPY_TO_HOST, flags=1, host=0x8000, device=HBM + 0x20000, count=M * N * 4),
    ]
    port.host_memory[QUEUE : QUEUE + 128 * len(queue)] = b"".join(queue)
    port.write_register(QUEUE_BASE, QUEUE)
    port.write_register(QUEUE_SIZE, 8)
    port.write_register(IRQ_MASK, 3)
    port.write_register(DOORBELL, len(queue))
    port.wait_for_interrupt()
    print(f"interrupt {port.read_register(IRQ_STATUS)}, {port.read_register(DONE_COUNT)} descriptors done, "
          f"error {port.read_register(ERROR)}, at {port.now} ns")
    seen = struct.unpack_from(f"<{M * N}i", port.host_memory, 0x8000)
    wanted = [sum(a[row][i] * b[i][col] for i in range(K)) for row in range(M) for col in range(N)]
    also_seen = struct.unpack(f"<{M * N}i", port.read(HBM + 0x20000, M * N * 4))
    right = list(seen) == wanted and list(also_seen) == wanted
    print("the product is", "right" if right else "wrong")

    if "--speed" in sys.argv:
        rounds, start = 20000, time.perf_counter()
        for _ in range(rounds):
            port.read_register(DONE_COUNT)
        print(f"{rounds / (time.perf_counter() - start):.0f} round trips per second")
    port.close()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

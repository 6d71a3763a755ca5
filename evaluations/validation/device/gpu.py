"""What the programs of this folder share: the libraries they need, errors in words, and CUDA source."""

import sys

DRAW = r"""
// A well-mixed number for each x: the finalizer of MurmurHash3.
__device__ unsigned long long mix(unsigned long long x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33;
  return x;
}
"""

# A float4 per thread: a group of `lanes` threads accesses `lanes * BYTES_PER_THREAD` bytes.
BYTES_PER_THREAD = 16
THREADS = 256
BLOCKS_PER_SM = 16


def fail(message):
    """Ends the program with a message on standard error and exit code 1."""
    sys.exit(f"{sys.argv[0]}: {message}")


def import_cupy():
    """cupy, with a device that works."""
    try:
        import cupy
    except ImportError as error:
        fail(f"needs cupy, for CUDA 13 the package cupy-cuda13x: {error}")
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        fail(f"finds no GPU: {error}")
    if count == 0:
        fail("finds no GPU")
    return cupy


def compile_cuda(cupy, source):
    """The module of kernels in `source`, which may call mix()."""
    return cupy.RawModule(code='extern "C" {' + DRAW + source + "}", options=("-std=c++14",))


def reserve(action):
    """The result of action(), which allocates memory of the device."""
    import cupy

    try:
        return action()
    except cupy.cuda.memory.OutOfMemoryError as error:
        fail(f"needs 24 GiB of free memory of the device: {error}")

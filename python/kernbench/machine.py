"""A machine in a separate process, with a driver's interface: memory, a queue of descriptors, an interrupt.

    import kernbench
    with kernbench.Machine("one_cube") as m:
        a = m.tensor(x)                      # a numpy array or nested lists
        b = m.tensor(y)
        c = m.empty((16, 16), "f32")
        m.run("gemm", a=a, b=b, c=c, m=16, k=32, n=16)
        c.numpy()
"""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import time

from .dtypes import decode, dtype_of, encode
from .remote_port import RemotePort

QUEUE_BASE, QUEUE_SIZE, DOORBELL, DONE_COUNT, ERROR, IRQ_STATUS, IRQ_MASK = 0x08, 0x10, 0x14, 0x18, 0x20, 0x24, 0x28
OP_LAUNCH = 1
ERRORS = {1: "wrong descriptor", 2: "no such kernel", 3: "wrong argument", 4: "address outside of the memory",
          5: "host memory answers with an error", 6: "the launch has failed"}
_ENTRIES = 64  # entries of the queue
_ARGS = 128 * _ENTRIES  # offset of the arguments in host memory, after the queue
_PART = 1 << 20  # maximum bytes per access
_ALIGNMENT = 4096
_PATIENCE = 60.0  # seconds to wait for the server's socket


class MachineError(Exception):
    """The machine refused a request, or the request failed. The text contains the messages of `kernbench serve`."""


def kernel_hash(name):
    """FNV-1a hash, which identifies a kernel in a descriptor."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def find_executable(executable=None):
    """Returns `executable`, the environment's KERNBENCH, or kernbench on the path. Raises FileNotFoundError."""
    found = executable or os.environ.get("KERNBENCH") or shutil.which("kernbench")
    if found is None:
        raise FileNotFoundError("kernbench is not on the path; install it, or set KERNBENCH to the program")
    return found


class Tensor:
    """A tensor in the machine; its rows are split evenly over PEs, in the order of the PEs."""

    def __init__(self, machine, shape, dtype, pes):
        self.machine, self.shape, self.dtype, self.pes = machine, tuple(shape), dtype, pes
        self.cols = self.shape[-1] if self.shape else 1
        count = 1
        for length in self.shape:
            count *= length
        self.rows = count // self.cols if self.cols else 0
        if count == 0:
            raise ValueError(f"a tensor of shape {self.shape} has no elements")
        if self.rows % len(pes):
            raise ValueError(f"{self.rows} rows cannot be split evenly over {len(pes)} PEs")
        self.nbytes = count * dtype.size
        self.part = self.nbytes // len(pes)
        self.addresses = machine._allocate(pes, self.part)

    def write(self, data):
        """Writes all bytes, which are in row-major order."""
        if len(data) != self.nbytes:
            raise ValueError(f"{len(data)} bytes for a tensor of {self.nbytes}")
        for index, address in enumerate(self.addresses):
            self.machine.write(address, data[index * self.part : (index + 1) * self.part])

    def read(self):
        """Reads all bytes, in row-major order."""
        return b"".join(self.machine.read(address, self.part) for address in self.addresses)

    def to_list(self):
        return decode(self.read(), self.shape, self.dtype)

    def numpy(self):
        """Reads a numpy array; bf16 and 8-bit floats become unsigned integers with the same bits."""
        import numpy

        return numpy.frombuffer(self.read(), dtype=self.dtype.numpy).reshape(self.shape)

    def __repr__(self):
        return f"Tensor{self.shape} of {self.dtype} on {len(self.pes)} PEs"


class Launch:
    """A launch that is running or has ended."""

    def __init__(self, machine, kernel):
        self.machine, self.kernel = machine, kernel

    def wait(self):
        """Advances simulated time until all launches that have begun have ended, because the machine only counts ended
        launches. Raises MachineError when one of them failed."""
        self.machine.wait()


class Machine:
    """Runs `kernbench serve` for the duration of a `with` block.

    topology: a built-in machine ("reference", "one_cube" ...), or a YAML file
    settings: {"cube.memory_map.tcm_size_mb": 4}, like --set
    plugins: shared libraries with further kernels or blocks
    data: "eager", or "off" for timing only
    options: further options of `kernbench serve`, e.g. ["--wave", "w.fst"]
    out: folder for the results, complete when the machine has ended; see kernbench.Run and `kernbench report`
    """

    def __init__(self, topology="reference", settings=None, plugins=(), data="eager", quantum_ns=1000, executable=None,
                 host_memory_bytes=1 << 24, options=(), out=None):
        self.program = find_executable(executable)
        self._said, self._reader = [], None
        self._arguments = ["--topology", str(topology)]
        for key, value in (settings or {}).items():
            self._arguments += ["--set", f"{key}={value}"]
        plugin_options = [part for plugin in plugins for part in ("--plugin", str(plugin))]
        self.spec = json.loads(self._ask(["topology", *self._arguments, *plugin_options, "--json"]))["spec"]
        self.kernels = {kernel["name"]: kernel["parameters"]
                        for kernel in json.loads(self._ask(["list", "--json", *plugin_options]))["kernels"]}
        self._folder = tempfile.TemporaryDirectory(prefix="kernbench.")
        path = os.path.join(self._folder.name, "port")
        out_options = [] if out is None else ["--out", str(out)]
        self.process = subprocess.Popen(
            [self.program, "serve", "--remote-port", "unix:" + path, *self._arguments, *plugin_options, "--data", data,
             "--quantum-ns", str(quantum_ns), *out_options, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        self.port = self._connect(path, host_memory_bytes)
        self.report = None  # final output of the server
        self._next = {}  # first free byte of each PE's memory
        self._produced = self._done = 0
        self._raised = False  # a MachineError has reported a failure
        self._args_at = _ARGS
        self.port.write_register(QUEUE_BASE, 0)
        self.port.write_register(QUEUE_SIZE, _ENTRIES)
        self.port.write_register(IRQ_MASK, 3)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def close(self):
        """Ends the session: writes the result files and sets `report` to the final output of the server. Raises
        MachineError for a failure that no MachineError has reported."""
        if self.process is None:
            return
        process, self.process = self.process, None
        open_launches = self._produced - self._done
        self.port.close()
        self.report = process.stdout.read()
        status = process.wait()
        self._reader.join()
        process.stdout.close()
        process.stderr.close()
        self._folder.cleanup()
        if status != 0 and not self._raised:
            hint = f"; {open_launches} launches were not waited for: call wait() before the end" if open_launches else ""
            raise MachineError(f"kernbench serve ends with exit code {status}{hint}" + self._heard())

    # --- Memory

    def pes(self, sip=0):
        """Coordinates (sip, cube, pe) of all PEs of a SIP."""
        mesh = self.spec["sip"]["cube_mesh"]
        layout = self.spec["cube"]["pe_layout"]
        return [(sip, cube, pe) for cube in range(mesh["w"] * mesh["h"])
                for pe in range(len(layout["corners"]) * layout["pe_per_corner"])]

    def hbm(self, sip=0, cube=0, pe=0):
        """Physical address of the first byte of a PE's slice of HBM (docs/architecture/addressing.md)."""
        return sip << 47 | cube << 42 | 1 << 37 | pe * self._slice_bytes()

    def _slice_bytes(self):
        memory = self.spec["cube"]["memory_map"]
        return memory["hbm_total_gb_per_cube"] * 2**30 // memory["hbm_slices_per_cube"]

    def write(self, address, data):
        """Writes in parts, and waits for each part: a launch could overtake a posted write."""
        for at in range(0, len(data), _PART):
            self.port.write(address + at, bytes(data[at : at + _PART]))

    def read(self, address, nbytes):
        return b"".join(self.port.read(address + at, min(_PART, nbytes - at)) for at in range(0, nbytes, _PART))

    def empty(self, shape, dtype="f32", pes=None):
        """Allocates a tensor. `pes`: the (sip, cube, pe) over which rows are split evenly; by default the first PE."""
        return Tensor(self, shape, dtype_of(dtype), list(pes) if pes else [(0, 0, 0)])

    def tensor(self, values, dtype=None, pes=None):
        """Copies a numpy array or nested lists into the machine's memory."""
        data, shape, dtype = encode(values, dtype)
        made = self.empty(shape, dtype, pes)
        made.write(data)
        return made

    def _allocate(self, pes, nbytes):
        """Allocates memory on each of `pes` and returns the addresses. Raises MachineError, and then allocates nothing."""
        following, addresses = dict(self._next), []
        for pe in pes:
            at = following.get(pe, self.hbm(*pe))
            free = self.hbm(*pe) + self._slice_bytes() - at
            if nbytes > free:
                raise MachineError(f"the HBM slice of PE {pe} has {free} bytes free, and {nbytes} are wanted; split the "
                                   "tensor over more PEs (pes=), or begin with a new machine: tensors stay to its end")
            following[pe] = at + (nbytes + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
            addresses.append(at)
        self._next = following
        return addresses

    # --- Kernels

    def launch(self, kernel, cubes=None, pes=None, **arguments):
        """Launches a kernel with named arguments on the PEs that own its tensors, or on those of `cubes` and `pes`.
        Raises TypeError for unknown or missing arguments."""
        parameters = self._parameters(kernel)
        unknown = [name for name in arguments if name not in [one[0] for one in parameters]]
        missing = [name for name, optional in parameters if name not in arguments and not optional]
        if unknown or missing:
            names = ", ".join(name for name, _ in parameters)
            raise TypeError(f"{kernel} has the parameters {names}; " +
                            "; ".join(f"{what} {', '.join(which)}"
                                      for what, which in (("unknown:", unknown), ("missing:", missing)) if which))
        owners = [pe for value in arguments.values() if isinstance(value, Tensor) for pe in value.pes] or [(0, 0, 0)]
        sips = {sip for sip, _, _ in owners}
        if len(sips) > 1:
            raise ValueError(f"{kernel}: its tensors are on SIPs {sorted(sips)}, but a launch is on one")
        cubes = {cube for _, cube, _ in owners} if cubes is None else set(cubes)
        pes = {pe for _, _, pe in owners} if pes is None else set(pes)
        packed = [self._pack(arguments.get(name)) for name, _ in parameters]
        mask = lambda indices: sum(1 << index for index in indices)  # noqa: E731
        self._push(struct.pack("<2I2Q2I5Q56x", OP_LAUNCH, 1, kernel_hash(kernel), self._place(b"".join(packed)),
                               len(packed), sips.pop(), mask(cubes), mask(pes), 0, 0, 0))
        return Launch(self, kernel)

    def run(self, kernel, **arguments):
        """Launches a kernel and waits for it."""
        self.launch(kernel, **arguments).wait()

    def wait(self):
        """Waits until all launches have ended."""
        while self._done < self._produced:
            self.port.wait_for_interrupt()
            self.port.write_register(IRQ_STATUS, self.port.read_register(IRQ_STATUS))
            self._done = self.port.read_register(DONE_COUNT)
            error = self.port.read_register(ERROR)
            if error:
                self.port.write_register(ERROR, 0)
                self._raised = True
                raise MachineError(ERRORS.get(error, f"error {error}") + self._heard())
        self._args_at = _ARGS

    def _parameters(self, kernel):
        if kernel not in self.kernels:
            import difflib

            close = difflib.get_close_matches(kernel, self.kernels, 1)
            raise MachineError(f"no kernel '{kernel}'" + (f"; did you mean '{close[0]}'?" if close else ""))
        return [(text.split(":")[0], text.endswith("(optional)")) for text in self.kernels[kernel]]

    def _pack(self, value):
        if value is None:
            return bytes(64)
        if isinstance(value, Tensor):
            shards = b"".join(struct.pack("<4Q", address, value.part, index * value.part, 0)
                              for index, address in enumerate(value.addresses))
            return struct.pack("<2I4Q2I2Q", 1, value.dtype.code, value.addresses[0], value.rows, value.cols,
                               self._place(shards), len(value.pes), 0, value.rows // len(value.pes), value.cols)
        if isinstance(value, float):
            return struct.pack("<2Id48x", 3, 0, value)
        return struct.pack("<2Iq48x", 2, 0, int(value))

    def _place(self, data):
        """Copies bytes to host memory, where they stay until all launches have ended."""
        if self._args_at + len(data) > len(self.port.host_memory):
            raise MachineError("host memory is full of arguments; wait() for launches, or give host_memory_bytes")
        at = self._args_at
        self.port.host_memory[at : at + len(data)] = data
        self._args_at += (len(data) + 63) // 64 * 64
        return at

    def _push(self, descriptor):
        if self._produced - self._done == _ENTRIES:
            self.wait()
        at = self._produced % _ENTRIES * len(descriptor)
        self.port.host_memory[at : at + len(descriptor)] = descriptor
        self._produced += 1
        self.port.write_register(DOORBELL, self._produced)

    # --- The server

    def _ask(self, arguments):
        answer = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            raise MachineError(answer.stderr.strip())
        return answer.stdout

    def _listen(self):
        for line in self.process.stderr:
            self._said.append(line.rstrip("\n"))

    def _heard(self):
        time.sleep(0.05)  # its messages and its answers arrive on different paths
        said, self._said[:] = "\n".join(self._said), []
        return ": " + said if said else ""

    def _connect(self, path, host_memory_bytes):
        end = time.monotonic() + _PATIENCE
        while not os.path.exists(path):
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                self.process.wait()
                self._reader.join()
                self.process.stdout.close()
                self.process.stderr.close()
                raise MachineError("kernbench serve does not start" + self._heard())
            time.sleep(0.005)
        return RemotePort(path, host_memory_bytes)

"""A client of `kernbench serve`: Remote-Port 4.3 over a Unix socket or TCP. Needs only Python's standard library.

    port = RemotePort("kb.sock")          # or "tcp:HOST:PORT"
    port.write(0x2000000000, b"abc")
    port.read(0x2000000000, 3)

Times are whole nanoseconds of simulated time. `port.now` is the maximum of all stamps sent and received.
"""

import socket
import struct

HELLO, READ, WRITE, INTERRUPT, SYNC = 1, 3, 4, 5, 6
RESPONSE, POSTED = 2, 4  # flags
MEMORY, REGISTERS, INTERRUPT_LINE, HOST_MEMORY = 0, 1, 2, 3  # devices
EXTENDED = 4  # attribute: layout with byte enables

HEADER = struct.Struct(">5I")
BUS = struct.Struct(">3Q3IH")
BUS_REST = struct.Struct(">HI4I")  # further fields of the extended layout
RESPONSES = {0: "ok", 1: "generic error", 2: "address error"}


class BusError(Exception):
    """The machine answered an access with an error."""


class RemotePort:
    def __init__(self, path, host_memory_bytes=1 << 20, token=None):
        """path: a Unix socket, or "tcp:HOST:PORT"; token: first line for a server with --token-file."""
        if str(path).startswith("tcp:"):
            host, port = str(path)[4:].rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(path)
        if token is not None:
            self.socket.sendall(token.encode() + b"\n")
        self.stream = self.socket.makefile("rb", buffering=1 << 16)
        self.host_memory = bytearray(host_memory_bytes)  # read and written by the machine's DMA
        self.irq = False
        self.now = 0
        self.next_id = 1
        try:
            self._send(HELLO, MEMORY, struct.pack(">2HIHH2I", 4, 3, HEADER.size + 12, 2, 0, 1, 2))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server's message is read below
        kind, *_ = self._receive()
        if kind != HELLO:
            raise ConnectionError("the server does not say hello")

    def close(self):
        self.stream.close()
        self.socket.close()

    def read(self, address, length, device=MEMORY, stream_width=None, enables=b""):
        packet = self._bus(READ, device, address, length, b"", stream_width, enables)
        return self._await(READ, packet)

    def write(self, address, data, device=MEMORY, stream_width=None, enables=b"", posted=False):
        """Writes memory. A posted write has no answer; it enters before later accesses but may be served after them.

        What a launch reads is written without `posted`: the launch could overtake a posted write."""
        packet = self._bus(WRITE, device, address, len(data), data, stream_width, enables, POSTED if posted else 0)
        if not posted:
            self._await(WRITE, packet)

    def read_register(self, offset):
        return struct.unpack("<I", self.read(offset, 4, REGISTERS))[0]

    def write_register(self, offset, value):
        self.write(offset, struct.pack("<I", value), REGISTERS)

    def sync(self, time_ns):
        """Advances simulated time to `time_ns` and serves interrupts and host memory accesses until then."""
        self.now = max(self.now, time_ns)
        self._await(SYNC, self._send(SYNC, MEMORY, struct.pack(">Q", self.now)))

    def wait_for_interrupt(self, step_ns=1000, limit_ns=10**9):
        end = self.now + limit_ns
        while not self.irq:
            if self.now >= end:
                raise TimeoutError(f"no interrupt in {limit_ns} ns")
            self.sync(self.now + step_ns)

    def _bus(self, kind, device, address, length, data, stream_width, enables, flags=0):
        data_at = HEADER.size + BUS.size + BUS_REST.size
        payload = BUS.pack(self.now, EXTENDED, address, length, 0, length if stream_width is None else stream_width, 0)
        payload += BUS_REST.pack(0, 0, data_at, 0, data_at + len(data) if enables else 0, len(enables))
        return self._send(kind, device, payload + data + enables, flags)

    def _send(self, kind, device, payload, flags=0, identity=None):
        if identity is None:
            identity = self.next_id
            self.next_id += 1
        self.socket.sendall(HEADER.pack(kind, len(payload), identity, flags, device) + payload)
        return identity

    def _receive(self):
        head = self._take(HEADER.size)
        if head.startswith(b"kernbench serve: "):  # a line of text instead of a packet
            raise ConnectionError((head + self.stream.readline()).decode().strip())
        kind, length, identity, flags, device = HEADER.unpack(head)
        return kind, identity, flags, device, self._take(length)

    def _take(self, count):
        data = self.stream.read(count)
        if len(data) < count:
            raise ConnectionError("the server is gone")
        return data

    def _await(self, wanted, wanted_id):
        while True:
            kind, identity, flags, device, payload = self._receive()
            if flags & RESPONSE:
                if kind != wanted or identity != wanted_id:
                    raise ConnectionError(f"an answer to packet {identity}, which is not open")
                return self._answer(kind, payload)
            if kind == INTERRUPT:
                self.now = max(self.now, struct.unpack_from(">Q", payload)[0])
                self.irq = payload[20] != 0
            elif kind in (READ, WRITE) and device == HOST_MEMORY:
                self._serve(kind, identity, device, payload)

    def _answer(self, kind, payload):
        self.now = max(self.now, struct.unpack_from(">Q", payload)[0])
        if kind == SYNC:
            return None
        _, attributes, address, length, _, _, _ = BUS.unpack_from(payload)
        response = attributes >> 8 & 15
        if response:
            raise BusError(f"{RESPONSES.get(response, response)} at {address:#x}")
        return payload[len(payload) - length :] if kind == READ else None

    def _serve(self, kind, identity, device, payload):
        time, attributes, address, length, width, stream, master = BUS.unpack_from(payload)
        rest = BUS_REST.unpack_from(payload, BUS.size)
        data = b""
        error = 0 if address + length <= len(self.host_memory) else 2
        if error:
            data = bytes(length) if kind == READ else b""
        elif kind == READ:
            data = bytes(self.host_memory[address : address + length])
        else:
            at = rest[2] - HEADER.size
            self.host_memory[address : address + length] = payload[at : at + length]
        head = BUS.pack(time, attributes | error << 8, address, length, width, stream, master)
        data_at = HEADER.size + BUS.size + BUS_REST.size
        self._send(kind, device, head + BUS_REST.pack(0, 0, data_at, 0, 0, 0) + data, RESPONSE, identity)

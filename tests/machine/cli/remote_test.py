"""`kernbench serve` and its peers: good ones, slow ones, dying ones and nonsense.

    remote_test.py KERNBENCH SOURCE_FOLDER
"""

import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from remote_server import HBM, KERNBENCH, MACHINE, PYTHON, SOURCE, Server, ServerTest, main
from kernbench.remote_port import BusError, HEADER, HELLO, HOST_MEMORY, READ, REGISTERS, RemotePort, SYNC, WRITE

DOORBELL = 0x14

# Launches a kernel that takes longer than it lives.
KILLED_PEER = """
import struct, sys, time
sys.path.insert(0, sys.argv[1])
from kernbench.remote_port import RemotePort
from test_bench import ARGS, DOORBELL, HBM, LAUNCH, QUEUE, QUEUE_BASE, QUEUE_SIZE, descriptor, integer, kernel_hash, tensor
port = RemotePort(sys.argv[2])
size = 512
args = [tensor(HBM + i * 0x100000, 3 if i < 2 else 5, size, size) for i in range(3)] + [integer(size)] * 3 + [bytes(64)] * 3
port.host_memory[ARGS : ARGS + 64 * len(args)] = b"".join(args)
launch = descriptor(LAUNCH, kernel=kernel_hash("gemm"), args=ARGS, arg_count=len(args), cubes=1, pes=1)
port.host_memory[QUEUE : QUEUE + 128] = launch
port.write_register(QUEUE_BASE, QUEUE)
port.write_register(QUEUE_SIZE, 8)
port.write_register(DOORBELL, 1)
port.sync(2000)
print("status", port.read_register(0x1C), flush=True)
time.sleep(600)
"""


class Remote(ServerTest):
    def test_the_example_works(self):
        server = Server()
        bench = subprocess.run([sys.executable, os.path.join(SOURCE, "examples", "remote", "test_bench.py"), server.path],
                               capture_output=True, text=True, timeout=120)
        self.assertEqual(bench.returncode, 0, bench.stdout + bench.stderr)
        self.assertIn("the product is right", bench.stdout)
        status, out, err = server.end()
        self.assertEqual(status, 0, err)
        self.assertIn("1 launches", out)

    def test_the_example_works_with_any_quantum(self):
        machine = os.path.join(SOURCE, "configs", "modern.yaml")  # posted writes would be late here
        for quantum in ("0", "50"):
            server = Server("--quantum-ns", quantum, machine=machine)
            bench = subprocess.run([sys.executable, os.path.join(SOURCE, "examples", "remote", "test_bench.py"), server.path],
                                   capture_output=True, text=True, timeout=120)
            self.assertIn("the product is right", bench.stdout, bench.stderr)
            self.assertEqual(server.end()[::2], (0, ""))

    def test_a_doorbell_before_the_end_of_posted_writes_is_reported_once(self):
        for posted, reports in ((True, 1), (False, 0)):
            server = Server("--quantum-ns", "0")
            port = RemotePort(server.path)
            for _ in range(2):
                port.write(HBM, bytes(65536), posted=posted)
                port.write_register(DOORBELL, 0)
            port.close()
            status, _, err = server.end()
            self.assertEqual(status, 0, err)
            self.assertEqual(err.count("while 1 of its posted writes to memory is under way"), reports, err)

    def session(self, pause, quantum):
        """The same random accesses with other pauses between them; returns every stamp and byte that came back."""
        numbers = random.Random(7)
        server = Server("--quantum-ns", str(quantum))
        port = RemotePort(server.path)
        seen = []
        for _ in range(120):
            if pause and random.random() < 0.1:
                time.sleep(0.01)
            address, length = HBM + numbers.randrange(4096), numbers.randrange(1, 300)
            kind = numbers.randrange(4)
            if kind == 0:
                seen.append(port.read(address, length))
            elif kind == 3:
                port.sync(port.now + numbers.randrange(2000))
            else:
                port.write(address, bytes(numbers.randrange(256) for _ in range(length)), posted=kind == 1)
            seen.append(port.now)
        port.close()
        self.assertEqual(server.end()[0], 0)
        return seen

    def test_tcp_works_as_a_unix_socket_does(self):
        server = Server(place="tcp:0")
        self.assertRegex(server.path, r"^tcp:127\.0\.0\.1:[1-9]\d*$")
        port = RemotePort(server.path)
        port.write(HBM, b"over the wire")
        self.assertEqual(port.read(HBM, 13), b"over the wire")
        port.close()
        self.assertEqual(server.end()[0], 0)

    def test_a_token_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            token = os.path.join(folder, "token")
            with open(token, "w") as file:
                file.write("sesame\n")
            server = Server("--token-file", token, place="tcp:0")
            for wrong in (None, "sesamf", "s"):
                with self.assertRaisesRegex(ConnectionError, "the first line has to be the token|server is gone|reset"):
                    RemotePort(server.path, token=wrong)
            port = RemotePort(server.path, token="sesame")
            port.write(HBM, b"in")
            port.close()
            self.assertEqual(server.end()[0], 0)
            for options, said in (((), "give --token-file"), (("--token-file", os.devnull), "no line that could be a token")):
                refused = subprocess.run([KERNBENCH, "serve", "--remote-port", "tcp:0.0.0.0:0", *options], capture_output=True,
                                         text=True, timeout=60)
                self.assertEqual(refused.returncode, 2)
                self.assertIn(said, refused.stderr)
        for place in ("tcp:", "tcp:127.0.0.1:notaport", "udp:5", "kb.sock"):
            refused = subprocess.run([KERNBENCH, "serve", "--remote-port", place], capture_output=True, text=True, timeout=60)
            self.assertEqual(refused.returncode, 2, place)
            self.assertIn(f"--remote-port {place}: ", refused.stderr)

    def test_sessions_follow_each_other_and_time_goes_on(self):
        server = Server("--sessions", "3")
        now = 0
        for number in range(3):
            port = RemotePort(server.path)
            if number:
                self.assertEqual(port.read(HBM, 4), struct.pack("<I", number - 1))
                self.assertGreater(port.now, now)
            port.write(HBM, struct.pack("<I", number))
            port.sync(port.now + 5000)
            now = port.now
            if number < 2:
                port.write(HBM + 64, bytes(4096), posted=True)  # nobody waits for its answer
            port.close()
        status, out, err = server.end()
        self.assertEqual(status, 0, err)
        self.assertIn("device: ok", out)

    def test_a_second_peer_is_refused_with_a_line(self):
        server = Server()
        first = RemotePort(server.path)
        first.write(HBM, b"mine")
        for _ in range(3):
            with self.assertRaisesRegex(ConnectionError, "another peer is connected"):
                RemotePort(server.path)
        self.assertEqual(first.read(HBM, 4), b"mine")
        first.close()
        self.assertEqual(server.end()[0], 0)

    def test_results_depend_on_messages_alone(self):
        first = self.session(False, 500)
        self.assertEqual(self.session(True, 500), first)
        self.assertNotEqual(self.session(False, 50000), first)

    def test_contents_with_byte_enables_and_streaming(self):
        server = Server()
        port = RemotePort(server.path)
        port.write(HBM, bytes([9] * 8))
        port.write(HBM, bytes([1, 2, 3, 4]), enables=bytes([255, 0]))
        port.write(HBM + 4, bytes([5, 6, 7]), stream_width=2)
        self.assertEqual(port.read(HBM, 8), bytes([1, 9, 3, 9, 7, 6, 9, 9]))
        with self.assertRaisesRegex(BusError, "address error"):
            port.read(0x10, 4)
        with self.assertRaisesRegex(BusError, "address error"):
            port.read_register(0x100)
        port.close()
        self.assertEqual(server.end()[0], 0)

    def test_nonsense_is_named(self):
        def packet(kind, payload=b"", device=0, flags=0, length=None):
            return HEADER.pack(kind, len(payload) if length is None else length, 5, flags, device) + payload

        bus = struct.pack(">3Q3IH", 0, 0, HBM, 4, 0, 4, 0)
        cases = [
            (False, packet(SYNC, bytes(8)), "first packet is sync"),
            (False, packet(HELLO, struct.pack(">2H", 3, 0)), "the peer speaks Remote-Port 3.0; this is 4.3"),
            (True, packet(77), "packet 5 (command 77)"),
            (True, packet(READ, bytes(10)), "it has 10 bytes and needs 38"),
            (True, packet(READ, length=1 << 30), "its length is 1073741824 bytes"),
            (True, packet(READ, bus, device=9), "for device 9"),
            (True, packet(WRITE, bus), "data (4 bytes at 58) lie outside"),
            (True, packet(READ, bus, flags=2), "its data"),
            (True, packet(SYNC, bytes(8), flags=2), "the peer answers packet 5"),
            (True, packet(SYNC, struct.pack(">Q", 1 << 63)), "beyond the end of simulated time"),
            (True, packet(5, bytes(21), device=2), "no interrupt inputs"),
            (True, packet(HELLO, struct.pack(">2H", 4, 3)), "a second hello"),
            (True, packet(READ, bus)[:30], "disappeared in the middle of packet 5 (read)"),
            (True, packet(READ, bus)[:7], "disappeared in the middle of a packet's header"),
        ]
        for hello, raw, text in cases:
            with self.subTest(text):
                server = Server()
                client = server.raw(hello)
                client.sendall(raw)
                client.shutdown(socket.SHUT_WR)
                self.expect_error(server, 1, "PROTOCOL_ERROR", text)
                client.close()

    def random_stream(self, numbers, packets, wild):
        """`wild` is the share of packets with something wrong."""
        stream = b""
        for _ in range(packets):
            spoil = numbers.random() < wild
            kind = numbers.randrange(10) if spoil else numbers.choice((READ, WRITE, SYNC))
            length = numbers.randrange(400)
            payload = struct.pack(">Q", numbers.randrange(5000))
            device = 0
            if kind in (READ, WRITE):
                width = numbers.choice((length, 0, 1, numbers.randrange(1, 100)))
                address = HBM + numbers.randrange(1 << 33)
                if kind == READ and numbers.random() < 0.2:
                    device, address = 1, numbers.randrange(80)
                payload += struct.pack(">2Q3IH", 0, address, length, 0, width, 0)
                payload += bytes(length) if kind == WRITE else b""
            if spoil and numbers.random() < 0.5:
                payload = payload[: numbers.randrange(len(payload))]
            if spoil:
                device = numbers.randrange(5)
            flags = numbers.randrange(8) if spoil else numbers.choice((0, 4 if kind == WRITE else 0))
            stream += HEADER.pack(kind, len(payload), 9, flags, device) + payload
        return stream

    def test_random_packets_end_in_an_error_or_not_at_all(self):
        numbers = random.Random(3)
        rounds = int(os.environ.get("KB_ROUNDS", "1"))  # 10 for 10^5 messages
        streams = [(numbers.randrange(1, 10), 0.2) for _ in range(25 * rounds)] + [(250, 0.0005) for _ in range(40 * rounds)]
        for packets, wild in streams:
            stream = self.random_stream(numbers, packets, wild)
            server = Server()
            client = server.raw()
            try:
                client.sendall(stream)
                client.shutdown(socket.SHUT_WR)
                while client.recv(1 << 16):
                    pass
            except OSError:
                pass  # the server has ended the session
            client.close()
            status, _, err = server.end()
            self.assertIn(status, (0, 1), err)
            self.assertEqual(status == 1, "PROTOCOL_ERROR" in err, err)

    def test_a_peer_may_go_at_any_time(self):
        for packets in range(4):
            server = Server()
            port = RemotePort(server.path)
            for _ in range(packets):
                port.write(HBM, bytes(64), posted=True)
            port.close()
            self.assertEqual(server.end()[0], 0)

    def test_a_peer_that_is_killed_during_a_launch(self):
        server = Server()
        peer = subprocess.Popen([sys.executable, "-c", KILLED_PEER, os.path.join(SOURCE, "examples", "remote"), server.path],
                                stdout=subprocess.PIPE, text=True)
        self.assertEqual(peer.stdout.readline(), "status 1\n")  # busy
        peer.send_signal(signal.SIGKILL)
        self.assertEqual(peer.wait(timeout=60), -signal.SIGKILL)
        peer.stdout.close()
        status, out, err = server.end()
        self.assertEqual(status, 0, err)
        self.assertIn("ends at 3 us with work outstanding", out)  # the latest stamp and the quantum
        self.assertIn("host: launch #1 of kernel gemm", out)

    def test_a_peer_that_owes_host_memory(self):
        server = Server()
        port = RemotePort(server.path)
        port.write_register(0x10, 4)
        port.write_register(0x14, 1)  # a doorbell: the machine reads its queue when time goes on
        port._send(SYNC, 0, struct.pack(">Q", 5000))
        kind, _, flags, device, _ = port._receive()
        self.assertEqual((kind, flags, device), (READ, 0, HOST_MEMORY))
        port.close()
        self.expect_error(server, 1, "owes the answer")

    def test_wrong_places(self):
        folder = tempfile.TemporaryDirectory()
        taken = os.path.join(folder.name, "file")
        open(taken, "w").close()
        for place, text in (("/tmp/x", "write unix:PATH"), ("unix:" + taken, "this is a file"),
                            ("unix:/nowhere/at/all", "No such file"), ("unix:" + "x" * 200, "characters")):
            run = subprocess.run([KERNBENCH, "serve", "--remote-port", place], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(text, run.stderr)
        self.assertTrue(os.path.exists(taken))
        server = Server()
        run = subprocess.run([KERNBENCH, "serve", "--remote-port", "unix:" + server.path], capture_output=True, text=True,
                             timeout=60)
        self.assertEqual(run.returncode, 2)
        self.assertIn("another process listens there", run.stderr)
        RemotePort(server.path).close()
        self.assertEqual(server.end()[0], 0)
        # What a killed server has left is replaced.
        left = os.path.join(folder.name, "left")
        stale = socket.socket(socket.AF_UNIX)
        stale.bind(left)
        stale.close()
        process = subprocess.Popen([KERNBENCH, "serve", "--remote-port", "unix:" + left, "--topology", MACHINE],
                                   stdout=subprocess.PIPE, text=True)
        self.assertIn("listening", process.stdout.readline())
        RemotePort(left).close()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertFalse(os.path.exists(left))


if __name__ == "__main__":
    main()

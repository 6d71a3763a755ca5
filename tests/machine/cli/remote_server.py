"""A `kernbench serve` of a test, as a program and in its folder.

    SOME_TEST.py KERNBENCH SOURCE_FOLDER [OPTIONS of unittest]
"""

import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

KERNBENCH, SOURCE = sys.argv[1:3]
PYTHON = os.path.join(SOURCE, "python")
sys.path.insert(0, PYTHON)
os.environ["PYTHONPATH"] = PYTHON
from kernbench.remote_port import HEADER, HELLO  # noqa: E402

MACHINE = os.path.join(SOURCE, "configs", "one_pe.yaml")
HBM = 0x2000000000


class Server:
    def __init__(self, *options, place=None, machine=MACHINE):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "socket")
        self.process = subprocess.Popen(
            [KERNBENCH, "serve", "--remote-port", place or "unix:" + self.path, "--topology", machine, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if place:
            said = self.process.stdout.readline()
            self.path = said.removeprefix("listening at ").strip()
        while not place and not os.path.exists(self.path) and self.process.poll() is None:
            time.sleep(0.005)

    def end(self):
        out, err = self.process.communicate(timeout=120)
        self.folder.cleanup()
        return self.process.returncode, out, err

    def raw(self, say_hello=True):
        client = socket.socket(socket.AF_UNIX)
        client.connect(self.path)
        if say_hello:
            client.sendall(HEADER.pack(HELLO, 4, 1, 0, 0) + struct.pack(">2H", 4, 3))
        return client


class ServerTest(unittest.TestCase):
    def expect_error(self, server, code, *texts):
        status, _, err = server.end()
        self.assertEqual(status, code, err)
        for text in texts:
            self.assertIn(text, err)


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

"""The run folder that `kernbench serve --out` leaves.

    remote_record_test.py KERNBENCH SOURCE_FOLDER
"""

import base64
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

from remote_server import HBM, KERNBENCH, SOURCE, Server, ServerTest, main
from kernbench.remote_port import HEADER, RemotePort


def answers_of(page):
    """What a report has inside: the answers by their questions."""
    inside = json.loads(re.search(r'<script type="application/json" id="answers">(.*?)</script>', page, re.S)[1])
    return {question: gzip.decompress(base64.b64decode(packed)).decode("utf-8", "replace")
            for question, packed in inside["answers"].items()}


class Record(ServerTest):
    def kernbench(self, *arguments):
        run = subprocess.run([KERNBENCH, *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def recorded_session(self, out):
        server = Server("--out", out)
        bench = subprocess.run([sys.executable, os.path.join(SOURCE, "examples", "remote", "test_bench.py"), server.path],
                               capture_output=True, text=True, timeout=120)
        self.assertEqual(bench.returncode, 0, bench.stdout + bench.stderr)
        status, _, err = server.end()
        self.assertEqual(status, 0, err)

    def test_a_session_is_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = os.path.join(folder, "a"), os.path.join(folder, "b")
            self.recorded_session(first)
            self.recorded_session(second)
            self.assertEqual(sorted(os.listdir(first)), ["ops.sqlite", "result.json", "topology.json"])
            with open(os.path.join(first, "result.json"), encoding="utf-8") as file:
                result = json.load(file)
            self.assertTrue(result["ok"])
            self.assertEqual([launch["kernel"] for launch in result["launches"]], ["gemm"])
            figures = {figure["name"]: figure["value"] for figure in result["figures"]}
            self.assertGreater(figures["registers: writes"], 0)
            self.assertGreater(figures["host memory: reads"], 0)
            self.kernbench("report", first)
            with open(os.path.join(first, "report.html"), encoding="utf-8") as file:
                page = file.read()
            self.assertIn("gemm", page)
            self.assertIn("host memory: reads", answers_of(page)["/api/run"])
            self.assertIn("gemm", self.kernbench("compare", first, second))
            self.kernbench("convert", first, "--perfetto", os.path.join(folder, "trace"))
            self.assertGreater(os.path.getsize(os.path.join(folder, "trace")), 1000)

    def test_a_session_without_launches_is_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, requests in (("a", 3), ("b", 20)):
                server = Server("--out", os.path.join(folder, name))
                port = RemotePort(server.path)
                for _ in range(requests):
                    port.write(HBM, bytes(64))
                port.close()
                self.assertEqual(server.end()[0], 0)
            a, b = os.path.join(folder, "a"), os.path.join(folder, "b")
            self.assertRegex(self.kernbench("compare", a, b), r"Figures that changed\n[^\n]*\n[^\n]*\n  peer: requests +3 +20 +\+17")
            self.kernbench("report", a, "--against", b)
            with open(os.path.join(a, "report.html"), encoding="utf-8") as file:
                page = file.read()
            self.assertIn("peer: mean latency", answers_of(page)["/api/run"])
            self.kernbench("convert", a, "--perfetto", os.path.join(folder, "trace"))

    def test_a_session_with_an_error_has_it_in_its_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "r")
            server = Server("--out", out)
            client = server.raw()
            client.sendall(HEADER.pack(77, 0, 5, 0, 0))
            self.expect_error(server, 1, "PROTOCOL_ERROR")
            client.close()
            with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
                result = json.load(file)
            self.assertFalse(result["ok"])
            self.assertEqual(result["error"]["code"], "PROTOCOL_ERROR")
            self.assertIn("packet 5 (command 77)", result["error"]["message"])

    def test_sessions_share_one_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            server = Server("--out", folder, "--sessions", "2")
            for _ in range(2):
                port = RemotePort(server.path)
                port.write(HBM, b"abcd")
                self.assertEqual(os.path.exists(os.path.join(folder, "result.json")), False)
                port.close()
            self.assertEqual(server.end()[0], 0)
            with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
                figures = {figure["name"]: figure["value"] for figure in json.load(file)["figures"]}
            self.assertEqual(figures["peer: requests"], 2)

    def test_folders_that_cannot_be_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            taken = os.path.join(folder, "file")
            open(taken, "w").close()
            for options, text in ((("--out", taken), "--out"), (("--out", folder, "--oplog", taken), "leave --oplog out"),
                                  (("--out", folder, "--sessions", "0"), "--sessions 0 has none")):
                refused = subprocess.run([KERNBENCH, "serve", "--remote-port", "unix:" + os.path.join(folder, "s"), *options],
                                         capture_output=True, text=True, timeout=60)
                self.assertEqual(refused.returncode, 2, refused.stderr)
                self.assertIn(text, refused.stderr)
            self.assertEqual(os.listdir(folder), ["file"])


if __name__ == "__main__":
    main()

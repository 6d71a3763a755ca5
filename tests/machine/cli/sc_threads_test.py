"""docs/guides/sc_threads.py, the commands of gdb for SC_THREADs, on a run that has stopped in the thread of a kernel.
Arguments: kernbench, the source folder. Skipped without gdb."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
sys.dont_write_bytecode = True
if shutil.which("gdb") is None:
    print("skipped: there is no gdb (Debian: gdb)")
    sys.exit(SKIPPED)

KERNBENCH, SCRIPT = sys.argv[1], os.path.join(sys.argv[2], "docs/guides/sc_threads.py")
KERNEL, HOST = "platform.sip0.cube0.pe0.pe_cpu.kernel_thread", "host_thread_0"


def gdb(*commands):
    """What gdb prints for each command, after the kernel's thread has begun."""
    line = ["gdb", "-q", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "set startup-with-shell off"]
    for command in (f"source {SCRIPT}", "break kb::modules::PeCpu::kernel_thread", "run", *commands):
        line += ["-ex", r"echo \n====\n", "-ex", command]
    with tempfile.TemporaryDirectory() as folder:
        run = ["run", "--topology", "one_pe", "--bench", "copy", "--quiet", "--out", folder]
        done = subprocess.run(line + ["--args", KERNBENCH, *run], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300)
    return done.stdout.split("\n====\n")[4:]


class ScThreads(unittest.TestCase):
    def test_stacks_are_seen_and_the_program_continues(self):
        listed, stack, real, running, nobody, _, end = gdb(
            "sc-threads", "sc-thread " + HOST, "bt", "sc-thread pe0.pe_cpu.kernel_thread", "sc-thread nobody", "delete",
            "continue")
        self.assertRegex(listed, rf"(?m)^{KERNEL} +runs$")
        self.assertRegex(listed, rf"(?m)^{HOST} +waits for ")
        self.assertIn(" sc_core::sc_thread_process::suspend_me\n", stack)
        self.assertRegex(stack, r"#\d+ +kb::sw::Runtime::")
        self.assertRegex(stack, r"#\d+ +sc_core::sc_thread_cor_fn")
        self.assertIn(f"{KERNEL} runs: it has no stack that waits", running)
        self.assertIn("0 threads end with 'nobody'", nobody)
        self.assertIn("exited normally", end)
        self.assertIn("kb::sw::Runtime::", real)  # the selected stack stays


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])

"""The Python package: a machine as a context, launches by name, what is refused, results. Arguments: kernbench, the source
folder. Skips what needs numpy or pytest where they are not installed."""

import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

KERNBENCH, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "python"))
os.environ["KERNBENCH"] = KERNBENCH
os.environ["PYTHONPATH"] = str(SOURCE / "python")
import kernbench  # noqa: E402
from kernbench import dtypes  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
PLUGIN = sys.argv[3] if len(sys.argv) > 3 else None
X = [[(3 * row + col) % 7 - 3 for col in range(32)] for row in range(16)]
Y = [[(row + 2 * col) % 5 - 2 for col in range(16)] for row in range(32)]
PRODUCT = [[sum(X[row][i] * Y[i][col] for i in range(32)) for col in range(16)] for row in range(16)]


class Machines(unittest.TestCase):
    def test_a_product_is_right_in_every_split(self):
        with kernbench.Machine("one_cube") as m:
            for dtype, wide in (("f16", "f32"), ("i8", "i32"), ("f32", "f32")):
                for pes in (m.pes()[:1], m.pes()[:4], m.pes()):
                    a, b = m.tensor(X, dtype, pes), m.tensor(Y, dtype)
                    c = m.empty((16, 16), wide, pes)
                    m.run("gemm", a=a, b=b, c=c, m=16, k=32, n=16)
                    self.assertEqual(c.to_list(), PRODUCT, (dtype, len(pes)))
        self.assertIn("device: ok", m.report)
        self.assertIn("9 launches", m.report)

    def test_launches_overlap_and_are_waited_for(self):
        with kernbench.Machine("one_cube") as m:
            a, b = m.tensor(X, "i8"), m.tensor(Y, "i8")
            results = [m.empty((16, 16), "i32") for _ in range(70)]  # more than the queue has entries
            launches = [m.launch("gemm", a=a, b=b, c=c, m=16, k=32, n=16) for c in results]
            launches[3].wait()
            m.wait()
            for c in results:
                self.assertEqual(c.to_list(), PRODUCT)

    def test_a_long_launch_is_waited_for_although_a_short_one_ends_first(self):
        with kernbench.Machine("one_cube") as m:
            first, second = [m.pes()[0]], [m.pes()[1]]
            n = 512
            ones = m.tensor([[1] * n] * n, "i8", first)
            long = m.empty((n, n), "i32", first)
            short = m.empty((16, 16), "i32", second)
            x, y = m.tensor(X, "i8", second), m.tensor(Y, "i8", second)
            launch = m.launch("gemm", a=ones, b=ones, c=long, m=n, k=n, n=n)
            m.launch("gemm", a=x, b=y, c=short, m=16, k=32, n=16)
            launch.wait()
            last_row = m.read(long.addresses[0] + long.nbytes - 4 * n, 4 * n)
            self.assertEqual(last_row, n.to_bytes(4, "little") * n)

    def test_the_machine_has_its_settings(self):
        with kernbench.Machine("one_cube", settings={"cube.pe_layout.pe_per_corner": 1}, data="off") as m:
            self.assertEqual(len(m.pes()), 4)
            m.run("noop")

    def test_memory_keeps_what_was_written(self):
        with kernbench.Machine("one_cube") as m:
            data = bytes(range(256)) * 5000  # more than one access
            m.write(m.hbm(pe=3) + 5, data)
            self.assertEqual(m.read(m.hbm(pe=3) + 5, len(data)), data)
            t = m.tensor([1, -2, 3, 127], "i8")
            self.assertEqual(t.to_list(), [1, -2, 3, 127])
            self.assertEqual(m.tensor([0.5, math.inf], "f16").to_list(), [0.5, math.inf])
            self.assertEqual(m.tensor([0x3F80, 0xFFFF], "bf16").to_list(), [0x3F80, 0xFFFF])

    @unittest.skipIf(PLUGIN is None, "there is no plug-in")
    def test_a_kernel_of_a_plug_in_is_launched(self):
        with kernbench.Machine("one_cube", plugins=[PLUGIN]) as m:
            x, y = m.tensor([[1.0] * 64] * 8, "f16", m.pes()), m.tensor([[2.0] * 64] * 8, "f16", m.pes())
            out = m.empty((8, 64), "f16", m.pes())
            m.run("scale_add", x=x, y=y, out=out, factor=3.0)
            self.assertEqual(out.to_list(), [[5.0] * 64] * 8)

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(kernbench.MachineError, "did you mean 'one_cube'"):
            kernbench.Machine("one_cub")
        with self.assertRaisesRegex(kernbench.MachineError, "cube.pe_layout"):
            kernbench.Machine("one_cube", settings={"cube.pe_layout.pe_per_korner": 1})
        with self.assertRaisesRegex(FileNotFoundError, "nowhere"):
            kernbench.Machine("one_cube", executable="/nowhere/kernbench")
        with kernbench.Machine("one_cube") as m:
            a, b, c = m.tensor(X, "f16"), m.tensor(Y, "f16"), m.empty((16, 16), "f32")
            with self.assertRaisesRegex(kernbench.MachineError, "did you mean 'gemm'"):
                m.launch("gem")
            with self.assertRaisesRegex(TypeError, "unknown: q; missing: b, c, m, k, n"):
                m.launch("gemm", a=a, q=1)
            with self.assertRaisesRegex(ValueError, "16 rows cannot be split evenly over 3 PEs"):
                m.empty((16, 16), "f32", m.pes()[:3])
            with self.assertRaisesRegex(ValueError, "no dtype 'f8'"):
                m.empty((16, 16), "f8")
            with self.assertRaisesRegex(ValueError, "rows of a tensor have different lengths"):
                m.tensor([[1, 2], [3]])
            with self.assertRaisesRegex(kernbench.MachineError, "the launch has failed: .*the arguments m, k, n, pad ask for"):
                m.run("gemm", a=a, b=b, c=c, m=17, k=32, n=16)
            m.run("gemm", a=a, b=b, c=c, m=16, k=32, n=16)  # it goes on
            self.assertEqual(c.to_list(), PRODUCT)
            with self.assertRaisesRegex(kernbench.BusError, "address error at 0x10"):
                m.port.read(0x10, 4)

    def test_a_launch_that_nobody_waits_for_is_said(self):
        with self.assertRaisesRegex(kernbench.MachineError, r"1 launches were not waited for: call wait\(\) before the end"):
            with kernbench.Machine("one_pe") as machine:
                a, b, c = machine.tensor([[1.0] * 64] * 64, "f16"), machine.tensor([[1.0] * 64] * 64, "f16"), machine.empty((64, 64))
                machine.launch("gemm", a=a, b=b, c=c, m=64, k=64, n=64)

    def test_a_full_slice_is_said(self):
        with kernbench.Machine("one_cube", data="off") as machine:
            other = machine.tensor([7], "i32", pes=[(0, 0, 1)])
            machine.empty(((6 << 30) - 4096,), "i8")
            with self.assertRaisesRegex(kernbench.MachineError, r"slice of PE \(0, 0, 0\) has 4096 bytes free, and 8192 are"):
                machine.empty((2, 8192), "i8", pes=[(0, 0, 1), (0, 0, 0)])
            self.assertEqual(machine.empty((4096,), "i8").addresses[0] + 4096, other.addresses[0])
            self.assertEqual(machine.empty((4,), "i8", pes=[(0, 0, 1)]).addresses[0] - other.addresses[0], 4096)

    def test_files_of_the_server_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            with kernbench.Machine("one_pe", options=["--oplog", f"{folder}/ops.txt", "--wave", f"{folder}/w.vcd"]) as m:
                m.tensor(X, "f16")
            self.assertGreater(os.path.getsize(f"{folder}/ops.txt"), 0)
            self.assertGreater(os.path.getsize(f"{folder}/w.vcd"), 0)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_goes_in_and_out(self):
        generator = numpy.random.default_rng(1)
        with kernbench.Machine("one_cube") as m:
            x = generator.integers(-3, 4, (32, 64)).astype(numpy.float16)
            y = generator.integers(-3, 4, (64, 48)).astype(numpy.float16)
            c = m.empty((32, 48), "f32", m.pes())
            m.run("gemm", a=m.tensor(x, pes=m.pes()), b=m.tensor(y), c=c, m=32, k=64, n=48)
            numpy.testing.assert_array_equal(c.numpy(), x.astype(numpy.float32) @ y.astype(numpy.float32))
            for name, dtype in dtypes.DTYPES.items():
                values = generator.integers(0, 100, (4, 6)).astype(dtype.numpy)
                tensor = m.tensor(values, name)
                self.assertEqual(tensor.numpy().dtype, values.dtype)
                numpy.testing.assert_array_equal(tensor.numpy(), values)
            with self.assertRaisesRegex(ValueError, "elements of float64 are none of a tensor"):
                m.tensor(numpy.zeros(3))


class Results(unittest.TestCase):
    def test_runs_and_their_operations_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([KERNBENCH, "run", "--topology", "one_pe", "--bench", "gemm-single-pe", "--record", folder, "--quiet"],
                           check=True, capture_output=True)
            run = kernbench.Run(folder)
            self.assertEqual(run.result["launches"][0]["kernel"], "gemm_single")
            gemms = list(run.operations("component LIKE ?", ["%.pe_gemm"]))
            self.assertTrue(gemms and all(one["t_end_fs"] > one["t_start_fs"] for one in gemms))

    def test_a_machine_leaves_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            with kernbench.Machine("one_cube", out=folder) as m:
                a, b, c = m.tensor(X, "f16"), m.tensor(Y, "f16"), m.empty((16, 16), "f32")
                m.run("gemm", a=a, b=b, c=c, m=16, k=32, n=16)
            run = kernbench.Run(folder)
            self.assertEqual([launch["kernel"] for launch in run.result["launches"]], ["gemm"])
            self.assertTrue(list(run.operations("component LIKE ?", ["%.pe_gemm"])))

    def test_points_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "points.csv")
            table.write_text("point,a,status,cause\n0,1,ok,\n1,2,failed,too large\n")
            self.assertEqual([row["a"] for row in kernbench.points(folder)], ["1"])
            table.write_text("point,a,status,cause\n0,1,failed,too large\n")
            with self.assertRaisesRegex(ValueError, "no point has succeeded: too large"):
                kernbench.points(folder)


class Wheel(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        subprocess.run([sys.executable, str(SOURCE / "cmake/wheel.py"), str(SOURCE), self.work.name], check=True)
        self.wheel = next(pathlib.Path(self.work.name).glob("kernbench-*-py3-none-any.whl"))

    def tearDown(self):
        self.work.cleanup()

    def run_python(self, *arguments, **environment):
        return subprocess.run([sys.executable, "-B", *arguments], cwd=self.work.name, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": "", **environment}, check=False)

    def test_it_is_installed_by_pip(self):
        place = pathlib.Path(self.work.name, "site")
        pip = self.run_python("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(place), str(self.wheel))
        if "No module named pip" in pip.stderr:
            self.skipTest("pip is not installed")
        self.assertEqual(pip.returncode, 0, pip.stderr)
        shown = self.run_python("-c", "import kernbench, importlib.metadata as m; print(m.version('kernbench'))", PYTHONPATH=str(place))
        version = subprocess.run([KERNBENCH, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(shown.stdout.strip(), version, shown.stderr)

    def test_pytest_has_the_fixture(self):
        test = pathlib.Path(self.work.name, "test_sum.py")
        test.write_text("def test_noop(kernbench_machine):\n    m = kernbench_machine('one_pe', data='off')\n"
                        "    m.tensor([1, 2], 'i8')\n    assert m.pes() == [(0, 0, 0)]\n")
        shown = self.run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", str(test),
                                PYTHONPATH=str(self.wheel))
        if "No module named pytest" in shown.stderr:
            self.skipTest("pytest is not installed")
        self.assertEqual(shown.returncode, 0, shown.stdout + shown.stderr)
        self.assertIn("1 passed", shown.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

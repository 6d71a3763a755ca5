"""Man pages (H-112): one of each command, with all that its --help says, and nothing that groff complains about.
Arguments: cmake, kernbench, the source folder."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, KERNBENCH, SOURCE = sys.argv[1:4]
SKIPPED = 77
for tool, package in (("help2man", "help2man"), ("groff", "groff-base")):
    if shutil.which(tool) is None:
        print(f"skipped: {tool} was not found (Debian: {package})")
        sys.exit(SKIPPED)


def help_of(*command):
    return subprocess.run([KERNBENCH, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands_in(text):
    table = text.split("Subcommands:\n")
    return [line.split()[0] for line in table[1].split("\n\n")[0].splitlines()] if len(table) > 1 else []


def commands():
    """As in names of pages: "run", "model", "model-show"."""
    own = commands_in(help_of())
    return own + [f"{command}-{part}" for command in own for part in commands_in(help_of(command))]


def make(folder, environment=None):
    subprocess.run([CMAKE, f"-DPROGRAM={KERNBENCH}", "-DVERSION=1.2.3", "-DHELP2MAN=help2man", f"-DOUTPUT={folder}",
                    "-P", f"{SOURCE}/cmake/man_pages.cmake"], check=True, env={**os.environ, **(environment or {})})


class ManPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        make(cls.folder.name)
        # Text without overstrikes and line breaks; groff's warnings.
        cls.text, cls.warnings, cls.source = {}, {}, {}
        for page in pathlib.Path(cls.folder.name).iterdir():
            shown = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=900n", str(page)], capture_output=True,
                                   text=True, check=True)
            cls.source[page.name] = re.sub(r"\\f[BIR]|\\[,/]", "", page.read_text()).replace("\\-", "-")
            cls.text[page.name], cls.warnings[page.name] = shown.stdout, shown.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_command_has_a_page(self):
        self.assertGreater(len(commands()), 12)
        self.assertEqual(set(self.text), {"kernbench.1", *(f"kernbench-{command}.1" for command in commands())})
        for command in commands():
            self.assertIn(f"kernbench-{command}(1)", self.text["kernbench.1"])
            self.assertIn("kernbench(1)", self.text[f"kernbench-{command}.1"])

    def test_groff_has_no_complaints(self):
        for page, warnings in self.warnings.items():
            self.assertEqual(warnings, "", page)

    def test_pages_say_all_that_the_help_says(self):
        def words(text):
            return re.sub(r"[\s\u2010-]+", " ", text.replace("\u2019", "'").replace(",--", ", --"))

        for command in [(), *(tuple(name.split("-")) for name in commands())]:
            page = words(self.text["-".join(("kernbench", *command)) + ".1"])
            for line in help_of(*command).splitlines():
                if line.startswith("Usage:") or line in ("Options:", "Positionals:", "Examples:", "Subcommands:"):
                    continue
                for part in re.split(r"  +", line.strip()):
                    self.assertIn(words(part).strip(), page, command)
            source = self.source["-".join(("kernbench", *command)) + ".1"]
            options = [line for line in help_of(*command).splitlines() if re.match(r"  -", line)]
            self.assertGreaterEqual(len(options), 1)
            for line in options:  # "  --bench NAME=gemm-multi-pe  Workload by name": the name has a line of its own
                longer = line[29:30] not in ("", " ") or line[30:32] == "--"  # "Excludes: --rate"; no text behind it
                name = line if longer else line[:30]
                name = re.sub(" +", " ", name.strip()).replace(",-", ", -")
                self.assertIn(f"\n{name}\n", re.sub(" +", " ", source), command)

    def test_examples_keep_their_lines(self):
        lines = self.text["kernbench-run.1"].splitlines()
        self.assertTrue(any(line.strip() == "kernbench run --topology my.yaml --bench gemm-multi-pe --verify-data"
                            for line in lines), lines)

    def test_equal_sources_give_equal_pages(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            for folder in (one, two):
                make(folder, {"SOURCE_DATE_EPOCH": "1000000000"})
            for page in sorted(os.listdir(one)):
                self.assertEqual(pathlib.Path(one, page).read_bytes(), pathlib.Path(two, page).read_bytes())
            self.assertIn("September 2001", pathlib.Path(one, "kernbench.1").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

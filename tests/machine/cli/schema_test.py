"""The JSON Schemas of `kernbench schema` (H-111): shipped machines, results of runs and ladders are valid, and what `kernbench
check` refuses in a single key is not. Arguments: kernbench, the source folder, a plug-in of blocks."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-jsonschema, python3-yaml)")
    sys.exit(SKIPPED)

KERNBENCH, SOURCE, PLUGIN = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
sys.path.insert(0, str(SOURCE / "python"))
import kernbench  # noqa: E402


def run(*arguments, code=0):
    done = subprocess.run([KERNBENCH, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout


def validator(*arguments):
    schema = json.loads(run("schema", *arguments))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def keys(schema, path=()):
    """(path, schema) of every key, [] for entries of lists."""
    for name, below in schema.get("properties", {}).items():
        yield path + (name,), below
        yield from keys(below, path + (name,))
    if "items" in schema:
        yield from keys(schema["items"], path + (0,))


def holder(document, path):
    for step in path[:-1]:
        document = document[step]
    return document


class Topology(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.validator = validator("topology")
        cls.reference = yaml.safe_load((SOURCE / "configs/reference.yaml").read_text())

    def problems(self, document):
        return [error.message for error in self.validator.iter_errors(document)]

    def test_machines_are_valid(self):
        files = [file for file in sorted(SOURCE.glob("configs/*.yaml")) if file.name != "ccl.yaml"]
        files += [file for file in sorted(SOURCE.glob("examples/*/*machine.yaml")) if file.parent.name != "engines"]
        self.assertGreater(len(files), 9)
        for file in files:
            self.assertEqual(self.problems(yaml.safe_load(file.read_text())), [], file)

    def test_every_key_says_what_it_is(self):
        for path, schema in keys(self.validator.schema):
            if "routing_weight_mm" in path[:-1]:
                continue  # kinds of edges
            if path[-1] in ("w", "h") and "cube_mm" in path:
                self.assertIn("mm", schema["description"])
            self.assertTrue(schema.get("description"), path)
            if path[-1].endswith(("_gbs", "_ns", "_mm")) and "type" in schema and schema["type"] == "number":
                self.assertIn("[", schema["description"], path)

    def test_defaults_are_those_of_the_reference_machine(self):
        seen = 0
        for path, schema in keys(self.validator.schema):
            try:
                value = holder(self.reference, path)[path[-1]]
            except (KeyError, IndexError, TypeError):
                continue
            if "default" in schema:
                self.assertEqual(value, schema["default"], path)
                seen += 1
        self.assertGreater(seen, 120)

    def mutants(self):
        """What is wrong in a single key of the reference machine."""
        for path, schema in keys(self.validator.schema):
            if path[0] == "replace":
                continue
            document = copy.deepcopy(self.reference)
            try:
                place = holder(document, path)
                value = place[path[-1]]
            except (KeyError, IndexError, TypeError):
                continue
            wrong = [[1, [2]]]  # of no key's type
            for high in {schema.get("maximum"), *(one.get("maximum") for one in schema.get("anyOf", []))} - {None}:
                wrong.append(high * 2 + 1)
            if "minimum" in schema or "exclusiveMinimum" in schema:
                wrong.append(schema.get("minimum", schema.get("exclusiveMinimum")) - 1)
            if schema.get("exclusiveMinimum") == 0:
                wrong.append(0)
            if "enum" in schema:
                wrong.append(3 if isinstance(value, int) else "nonsense")
            if schema.get("type") in ("number", "integer", "boolean"):
                wrong.append("text")
            if schema.get("type") == "integer":
                wrong.append(1.5)
            for other in wrong:
                place[path[-1]] = other
                yield f"{path} = {other!r}", copy.deepcopy(document)
            place[path[-1]] = value
            if isinstance(value, dict) and "routing_weight_mm" not in path:
                value["no_such_key"] = 1
                yield f"{path} with no_such_key", document

    def test_what_check_refuses_in_a_key_is_not_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            mutants = list(self.mutants())
            self.assertGreater(len(mutants), 500)
            files = []
            for number, (what, document) in enumerate(mutants):
                self.assertNotEqual(self.problems(document), [], what)
                files.append(pathlib.Path(folder, f"m{number}.yaml"))
                files[-1].write_text(yaml.safe_dump(document))
            refused = set()
            for start in range(0, len(files), 25):  # a report has at most 50 problems
                done = subprocess.run([KERNBENCH, "check", *map(str, files[start : start + 25])],
                                      capture_output=True, text=True, timeout=300)
                refused |= {line.split(":")[0] for line in done.stderr.splitlines()}
            for file, (what, _) in zip(files, mutants):
                self.assertIn(str(file), refused, what)

    def test_mandatory_keys_are_required(self):
        for path in (("system",), ("system", "sips", "count"), ("sip", "cube_mesh", "w"), ("cube", "pe_layout"),
                     ("cube", "pe_layout", "corners"), ("cube", "pe_layout", "pe_per_corner")):
            document = copy.deepcopy(self.reference)
            del holder(document, path)[path[-1]]
            self.assertNotEqual(self.problems(document), [], path)
        smallest = {"system": {"sips": {"count": 1}}, "sip": {"cube_mesh": {"w": 2, "h": 1}},
                    "cube": {"pe_layout": {"corners": ["NW", "NE"], "pe_per_corner": 2}, "links": None}}
        self.assertEqual(self.problems(smallest), [])

    def test_rates_are_a_number_or_a_mapping_by_dtype(self):
        attrs = self.reference["cube"]["pe_template"]["components"]["pe_gemm"]["attrs"]
        for rate, good in ((8192, True), ({"f16": 8192, "i8": 32768}, True), ({"i8": 1}, False),
                           ({"f16": 1, "f17": 1}, False), ("fast", False), ({"f16": 0}, False)):
            document = copy.deepcopy(self.reference)
            document["cube"]["pe_template"]["components"]["pe_gemm"]["attrs"] = {**attrs, "mac_per_ns": rate}
            self.assertEqual(self.problems(document) == [], good, rate)

    def test_attributes_of_other_implementations_are_open_until_their_plug_in_is_known(self):
        document = copy.deepcopy(self.reference)
        block = document["cube"]["pe_template"]["components"]["pe_math"]
        block["impl"] = "custom.math"
        block["attrs"] = {"elements_per_ns": 128.0, "colour": 3}
        self.assertEqual(self.problems(document), [])
        known = validator("topology", "--plugin", PLUGIN)
        self.assertNotEqual(list(known.iter_errors(document)), [])
        del block["attrs"]["colour"]
        self.assertEqual(list(known.iter_errors(document)), [])


class Result(unittest.TestCase):
    RUNS = {
        "gemm": ("--bench", "gemm-single-pe", "--verify-data"),
        "details": ("--bench", "vector-add", "--details"),
        "reals": ("--bench", "gemm-single-pe", "--verify-data", "--set", "data=real"),
        "chosen collective": ("--bench", "ccl-allreduce"),
        "races": ("--bench", "vector-add", "--check", "races"),
        "eager": ("--bench", "vector-add", "--data", "eager", "--device", "sip:0", "--no-findings"),
        "nothing": ("--bench", "noop"),
        "attention": ("--bench", "flash-attention",),
        "another machine": ("--bench", "copy", "--set", "cube.links.router_link_bw_gbs=128"),
        "joules": ("--bench", "matmul-composite", "--set", "energy.defaults=hbm2_7nm"),
    }

    @classmethod
    def setUpClass(cls):
        cls.validator = validator("result")

    def result(self, *arguments, code=0):
        machine = ("--topology", str(SOURCE / "configs/one_cube.yaml"))
        text = run("run", "--json", *machine, *arguments, code=code)
        return json.loads(text)

    def test_results_of_runs_are_valid(self):
        seen = set()
        for what, arguments in self.RUNS.items():
            result = self.result(*arguments)
            self.assertEqual([error.message for error in self.validator.iter_errors(result)], [], what)
            seen |= {key for key, value in result.items() if value not in ([], {}, None)}
        # Every member has had something in it; races and errors have tests of their own.
        self.assertEqual(set(self.validator.schema["properties"]) - seen - {"races", "error", "warnings"}, set())

    def test_a_run_that_fails_has_a_valid_result(self):
        result = self.result("--bench", "gemm-single-pe", "--time-limit-ns", "500", code=4)
        self.assertEqual(result["error"]["code"], "TIME_LIMIT")
        self.assertEqual([error.message for error in self.validator.iter_errors(result)], [])

    def test_the_result_of_a_device_is_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            with kernbench.Machine("one_pe", out=folder, executable=KERNBENCH) as m:
                x, bias, out = m.tensor([[1.0, 2.0]], "f16"), m.tensor([[3.0, 4.0]], "f16"), m.empty((1, 2), "f16")
                m.run("add_bias", x=x, bias=bias, out=out)
            result = kernbench.Run(folder).result
        self.assertEqual([error.message for error in self.validator.iter_errors(result)], [])
        self.assertTrue(result["launches"] and result["figures"])

    def test_other_documents_are_not_valid(self):
        result = self.result("--bench", "gemm-single-pe", "--verify-data")
        def refused(change):
            document = copy.deepcopy(result)
            change(document)
            return list(self.validator.iter_errors(document)) != []
        self.assertFalse(refused(lambda r: None))
        self.assertTrue(refused(lambda r: r.update(extra=1)))
        self.assertTrue(refused(lambda r: r.pop("launches")))
        self.assertTrue(refused(lambda r: r["launches"][0].update(sip="0")))
        self.assertTrue(refused(lambda r: r["launches"][0].update(macs=-1)))
        self.assertTrue(refused(lambda r: r["launches"][0]["breakdown"].update(limiter="patience")))
        self.assertTrue(refused(lambda r: r["verification"][0].update(rule="near")))
        self.assertTrue(refused(lambda r: r["topology"].update(sha256="0")))
        self.assertTrue(refused(lambda r: r.update(schema=1)))

    def test_every_member_is_explained(self):
        for path, schema in keys(self.validator.schema):
            if "$ref" not in schema and path[-1] not in ("value", "ok", "root"):
                self.assertTrue(schema.get("description"), path)


class Why(unittest.TestCase):
    def test_a_ladder_is_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            machine = ("--topology", str(SOURCE / "configs/one_cube.yaml"))
            run("run", "--quiet", "--out", folder, *machine, "--bench", "softmax", "--set", "rows=256")
            why = json.loads(run("why", "--json", "--top", "2", folder))
        problems = validator("why").iter_errors(why)
        self.assertEqual([error.message for error in problems], [])
        self.assertTrue(why["steps"] and why["families"])
        del why["steps"][0]["time_ns"]
        self.assertFalse(validator("why").is_valid(why))


class Tornado(unittest.TestCase):
    def test_a_tornado_is_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            run("run", "--quiet", "--out", folder, "--topology", str(SOURCE / "configs/one_pe.yaml"), "--bench", "vector-add")
            tornado = json.loads(run("why", "--json", "--machine", folder))
        self.assertEqual([error.message for error in validator("tornado").iter_errors(tornado)], [])
        trials = [trial for key in tornado["keys"] for trial in key["trials"]]
        self.assertTrue({trial["problem"] != "" for trial in trials} == {True, False} and tornado["not_tried"])
        del trials[0]["not_run"]
        self.assertFalse(validator("tornado").is_valid(tornado))


class Usage(unittest.TestCase):
    def test_wrong_words_are_explained(self):
        def refused(*arguments):
            return subprocess.run([KERNBENCH, "schema", *arguments], capture_output=True, text=True).stderr
        self.assertIn("there is no schema of 'results'; did you mean 'result'?", refused("results"))
        self.assertIn("document is required", refused())
        self.assertIn("leave it out", refused("result", "--plugin", PLUGIN))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

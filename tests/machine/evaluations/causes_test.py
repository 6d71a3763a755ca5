#!/usr/bin/env python3
"""evaluations/causes/causes.py on its own: what it makes of runs whose results are known, and of wrong input. The program
is a script here, whose findings and times depend on its options alone.

usage: causes_test.py SOURCES
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

SOURCES = sys.argv[1]
FOLDER = f"{SOURCES}/evaluations/causes"
HEAD = "case,network,time,run,planted,relieved,cause,names,resource,relief\n"

# `--time N` is the time of the longest launch; an earlier launch of 10 ns begins at 0, and the run ends at 1000 + N.
FAKE = """#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
def value(name, default):
    return words[words.index(name) + 1] if name in words else default
if words[0] == "why":
    said = json.load(open("r"))
    print(json.dumps({"time_ns": 300, "steps": [{"relief": word, "time_ns": 150} for word in said[0]],
                      "remedies": [{"text": word} for word in said[1]]}))
    sys.exit()
if "--out" in words:
    sides = value("--findings", ":").split(",")
    json.dump([[side.split(":")[0] for side in sides], ["tile 1 -> 2"]], open(value("--out", ""), "w"))
if "--fail" in words:
    sys.exit("no such machine")
time = float(value("--time", "100"))
findings = [{"rule": rule, "headline": "the wire a -> b is full", "evidence": ["it carries 8 GB/s"],
             "remedy": "use more slots", "factor": float(factor)}
            for rule, _, factor in (word.partition(":") for word in value("--findings", "").split(",")) if rule]
launches = [{"submit_ns": 0, "completed_ns": 10}, {"submit_ns": 1000, "completed_ns": 1000 + time}]
print(json.dumps({"version": "9.9", "launches": launches, "findings": findings}))
"""


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


class Folder:
    def __init__(self, path):
        self.path = path
        self.write("fake", FAKE)
        os.chmod(f"{path}/fake", 0o755)

    def write(self, name, text):
        with open(f"{self.path}/{name}", "w") as file:
            file.write(text)

    def causes(self, *options):
        command = [sys.executable, f"{FOLDER}/causes.py", "--kernbench", f"{self.path}/fake", "--cases",
                   f"{self.path}/cases.csv", "--score", f"{self.path}/score.json", *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def score(self, rows):
        self.write("cases.csv", HEAD + rows)
        done = self.causes("--json")
        expect(done.returncode == 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, code, text, *options, rows=None):
        if rows is not None:
            self.write("cases.csv", rows)
        done = self.causes(*options)
        expect(done.returncode == code, f"exit code {done.returncode}, not {code}: {done.stderr}")
        expect(text in done.stderr, f"'{text}' is not in: {done.stderr}")


def finds_causes(folder):
    planted = "--time 300 --findings straggler:5,slow_link:4.5"
    score = folder.score(f"a,yes,launch,--seed 1,\"{planted}\",--time 150,x,slow_link,a -> b,\n"
                         f"b,no,launch,--seed 1,\"{planted}\",--time 200,x,slow_link,b -> a,\n"
                         f"c,no,run,--seed 1,\"{planted}\",--time 100 ,x,nothing|more slots,,\n")
    a, b, c = score["cases"]
    expect((a["gain"], a["place"], a["finding"]) == (2, 2, "slow_link"), a)
    expect((a["promised"], a["promised_of_gain"]) == (4.5, 2.25), a)
    expect((a["first"], a["first_promised"]) == ("straggler", 5), a)
    expect((b["gain"], b["place"], b["promised"]) == (1.5, None, None), "the resource is another one")
    expect((c["place"], c["gain"]) == (1, round(1300 / 1100, 4)), "from the first submission to the last completion")
    total = score["summary"]
    expect((total["cases"], total["network"], total["first"], total["second"], total["absent"]) == (3, 1, 1, 1, 1), total)
    expect(total["promised_of_gain_90"] == c["promised_of_gain"] and score["version"] == "9.9", total)


def asks_the_ladder(folder):
    planted = "--time 300 --findings straggler:5,slow_link:4.5"
    rows = "".join(f"{name},yes,launch,--seed 1,\"{planted}\",--time 150,x,names,,{relief}\n"
                   for name, relief in (("a", "slow_*"), ("b", "tile *"), ("c", "odd *"), ("d", "straggler|slow_link")))
    folder.write("cases.csv", HEAD + rows)
    done = folder.causes("--json", "--why")
    expect(done.returncode == 0, done.stderr)
    score = json.loads(done.stdout)
    expect([row["step"] for row in score["cases"]] == [2, None, None, 1], score["cases"])
    expect([row["change"] for row in score["cases"]] == [None, 1, None, None], score["cases"])
    expect(score["cases"][0]["step_gain"] == 2, "measured by the first step")
    total = score["summary"]
    expect((total["ladder_first"], total["ladder_second"], total["ladder_absent"]) == (2, 1, 1), total)


def refuses_what_is_wrong(folder):
    good = "a,yes,launch,--seed 1,--time 300,--time 150,x,names,,\n"
    folder.refused(2, "cases.csv:1: the columns must be case,network", rows="case,run\n")
    folder.refused(2, "cases.csv:2: a row needs 10 cells", rows=HEAD + "a,yes,launch\n")
    folder.refused(2, "cases.csv:3: case 'a' is there twice", rows=HEAD + good + good)
    folder.refused(2, "network is 'maybe'; it must be yes or no", rows=HEAD + good.replace("yes", "maybe"))
    folder.refused(2, "run has no --seed", rows=HEAD + good.replace("--seed 1", "--bench x"))
    folder.refused(2, "names is empty", rows=HEAD + good.replace("names", ""))
    folder.refused(2, "nothing is planted", rows=HEAD + good.replace("--time 150", "--time 300"))
    folder.refused(2, "a, relieved: exit code 1", rows=HEAD + good.replace("--time 150", "--fail"))
    folder.refused(1, "a: the plant gains 1.111x; a case needs 1.15x", rows=HEAD + good.replace("150", "270"))
    folder.refused(2, "--only z*:", "--only", "a,z*", rows=HEAD + good)
    folder.refused(2, "--write needs all cases", "--write", "--only", "a")


def checks_the_score(folder):
    rows = "a,yes,launch,--seed 1,--time 300,--time 150,x,names,,\nb,yes,launch,--seed 1,--time 300,--time 150,x,names,,\n"
    folder.write("cases.csv", HEAD + rows)
    expect(folder.causes("--write").returncode == 0, "written")
    expect(folder.causes("--check", "--only", "b").returncode == 0, "a part of the cases")
    folder.refused(1, "b: relieved_ns is 160.0", "--check", rows=HEAD + "160".join(rows.rsplit("150", 1)))
    folder.refused(1, "has other cases than", "--check", rows=HEAD + rows.replace("b,yes", "c,yes"))


def the_cases_of_the_folder():
    with open(f"{FOLDER}/cases.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    expect(len(rows) == 40, f"{len(rows)} cases")
    expect(sum(row["network"] == "yes" for row in rows) >= 25, "25 cases with many PEs in the network")
    with open(f"{FOLDER}/score.json") as file:
        score = json.load(file)
    expect([row["case"] for row in score["cases"]] == [row["case"] for row in rows], "score.json has other cases")
    page = open(f"{FOLDER}/README.md").read()
    line = ("| {cases}, {network} of them in the network | {first} | {second} | {later} | {absent} | "
            "{promised_of_gain_median:.2f} | {promised_of_gain_90:.2f} | {below_gain} |").format(**score["summary"])
    expect(line in page, f"README.md does not have: {line}")
    expect(all(row["gain"] >= 1.15 for row in score["cases"]), "a plant that does not dominate")


with tempfile.TemporaryDirectory() as path:
    finds_causes(Folder(path))
    asks_the_ladder(Folder(path))
    refuses_what_is_wrong(Folder(path))
    checks_the_score(Folder(path))
the_cases_of_the_folder()

#!/usr/bin/env python3
"""Plants causes of slowness and asks what the findings of `kernbench run` say about them.

Each case of cases.csv is run twice: with its plant, and relieved of it. The measured gain is the time with the plant over
the time without. A case whose gain is below 1.15 is none, and fails. Then the findings of the planted run are looked
through for the cause: at which place it stands, and what that finding promises beside what was measured.

Needs Python 3.9 and no packages. README.md explains the columns.
"""

import argparse
import concurrent.futures
import csv
import fnmatch
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST_GAIN = 1.15
COLUMNS = ["case", "network", "time", "run", "planted", "relieved", "cause", "names", "resource", "relief"]
STEPS = 2


class CaseError(Exception):
    """A case that cannot be read or run."""


def read_cases(path):
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != COLUMNS:
            raise CaseError(f"{path}:1: the columns must be {','.join(COLUMNS)}")
        cases = []
        for row in reader:
            check_row(f"{path}:{reader.line_num}", row, cases)
            cases.append(row)
    return cases


def check_row(where, row, before):
    if None in row or None in row.values():
        raise CaseError(f"{where}: a row needs {len(COLUMNS)} cells; write a text with a comma in double quotes")
    for column in ("case", "run", "cause", "names"):
        if not row[column]:
            raise CaseError(f"{where}: {column} is empty")
    for column, values in (("network", ("yes", "no")), ("time", ("launch", "run"))):
        if row[column] not in values:
            raise CaseError(f"{where}: {column} is '{row[column]}'; it must be {' or '.join(values)}")
    if "--seed" not in row["run"]:
        raise CaseError(f"{where}: run has no --seed")
    if row["planted"] == row["relieved"]:
        raise CaseError(f"{where}: planted and relieved are equal, so that nothing is planted")
    if row["case"] in [other["case"] for other in before]:
        raise CaseError(f"{where}: case '{row['case']}' is there twice")


def run_once(case, which, options):
    """The result of a run; an empty working directory, so that no ccl.yaml of the user is read."""
    command = [options.kernbench, "run", "--json"]
    for plugin in options.plugin:
        command += ["--plugin", plugin]
    command += shlex.split((case["run"] + " " + case[which]).replace("{here}", shlex.quote(HERE)))
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise CaseError(f"{case['case']}, {which}: exit code {done.returncode}: {shlex.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def kernbench(arguments, case, folder, options):
    done = subprocess.run([options.kernbench, *arguments], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise CaseError(f"{case['case']}: exit code {done.returncode}: {shlex.join(done.args)}\n{done.stderr}")
    return done.stdout


def explain(case, options):
    """What `kernbench why` says of the planted run."""
    command = ["run", "--quiet", "--out", "r"]
    for plugin in options.plugin:
        command += ["--plugin", plugin]
    command += shlex.split((case["run"] + " " + case["planted"]).replace("{here}", shlex.quote(HERE)))
    with tempfile.TemporaryDirectory() as folder:
        kernbench(command, case, folder, options)
        return json.loads(kernbench(["why", "r", "--json", "--jobs", "1", "--top", str(STEPS)], case, folder, options))


def place_in(case, texts):
    """The place of the first text that is an accepted relief, among the first steps."""
    patterns = [pattern.strip() for pattern in case["relief"].split("|") if pattern.strip()]
    for place, text in enumerate(texts[:STEPS], 1):
        if any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns):
            return place
    return None


def add_ladder(case, row, options):
    said = explain(case, options)
    row["step"] = place_in(case, [step["relief"] for step in said["steps"]])
    row["change"] = place_in(case, [remedy["text"] for remedy in said["remedies"]])
    row["steps"] = [step["relief"] for step in said["steps"]]
    row["changes"] = [remedy["text"] for remedy in said["remedies"][:STEPS]]
    first = (said["steps"] or [{"time_ns": said["time_ns"]}])[0]
    row["step_gain"] = round(said["time_ns"] / first["time_ns"], 4)


def time_of(case, result):
    """Of the longest launch, or from the first submission to the last completion, as findings count."""
    spans = [(launch["submit_ns"], launch["completed_ns"]) for launch in result["launches"]]
    if case["time"] == "launch":
        return max(end - begin for begin, end in spans)
    return max(end for _, end in spans) - min(begin for begin, _ in spans)


def names_cause(case, finding):
    text = "\n".join([finding["rule"], finding["headline"], *finding["evidence"], finding["remedy"]]).lower()

    def has(patterns):
        return any(fnmatch.fnmatchcase(text, f"*{pattern.strip().lower()}*") for pattern in patterns.split("|"))

    return has(case["names"]) and (not case["resource"] or has(case["resource"]))


def score_case(case, options):
    planted, relieved = (run_once(case, which, options) for which in ("planted", "relieved"))
    before, after = time_of(case, planted), time_of(case, relieved)
    findings = planted["findings"]
    place = next((i for i, finding in enumerate(findings, 1) if names_cause(case, finding)), None)
    row = {"case": case["case"], "network": case["network"], "planted_ns": before, "relieved_ns": after}
    row["gain"] = round(before / after, 4)
    row["place"] = place
    row["finding"] = findings[place - 1]["rule"] if place else None
    row["promised"] = round(findings[place - 1]["factor"], 4) if place else None
    row["promised_of_gain"] = round(row["promised"] / row["gain"], 4) if place else None
    row["first"] = findings[0]["rule"] if findings else None
    row["first_promised"] = round(findings[0]["factor"], 4) if findings else None
    row["findings"] = [finding["rule"] for finding in findings]
    if options.why:
        add_ladder(case, row, options)
    return row, planted["version"]


def score_all(cases, options):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(score_case, case, options) for case in cases]
    failed = [str(run.exception()) for run in running if run.exception()]
    if failed:
        raise CaseError("\n".join(failed))
    rows = [run.result()[0] for run in running]
    return {"version": running[0].result()[1], "summary": summary(rows), "cases": rows}


def at_most(values, share):
    """The smallest value that so large a share of the values does not exceed."""
    return sorted(values)[max(0, -(-len(values) * share // 100) - 1)] if values else None


def summary(rows):
    found = [row["promised_of_gain"] for row in rows if row["place"]]
    return {
        "cases": len(rows),
        "network": sum(row["network"] == "yes" for row in rows),
        "first": sum(row["place"] == 1 for row in rows),
        "second": sum(row["place"] == 2 for row in rows),
        "later": sum(row["place"] is not None and row["place"] > 2 for row in rows),
        "absent": sum(row["place"] is None for row in rows),
        "below_gain": sum(value < 1 for value in found),
        "promised_of_gain_median": round(statistics.median(found), 4) if found else None,
        "promised_of_gain_90": at_most(found, 90),
    } | ladder_summary(rows)


def ladder_summary(rows):
    if not all("step" in row for row in rows):
        return {}
    named = [row["step"] or row["change"] for row in rows]
    return {"ladder_first": named.count(1), "ladder_second": named.count(2), "ladder_absent": named.count(None)}


def number(value):
    return "-" if value is None else f"{value:.2f}"


def show(score):
    table = [["case", "network", "planted us", "relieved us", "gain", "place", "finding", "promised", "of gain", "first",
              "promised"]]
    for row in score["cases"]:
        table.append([row["case"], row["network"], number(row["planted_ns"] / 1000), number(row["relieved_ns"] / 1000),
                      number(row["gain"]), str(row["place"] or "absent"), row["finding"] or "-",
                      number(row["promised"]), number(row["promised_of_gain"]), row["first"] or "-",
                      number(row["first_promised"])])
    if "ladder_first" in score["summary"]:
        table[0] += ["step", "change", "first step", "gain"]
        for line, row in zip(table[1:], score["cases"]):
            line += [str(row["step"] or "-"), str(row["change"] or "-"), (row["steps"] or ["-"])[0],
                     number(row["step_gain"])]
    widths = [max(map(len, column)) for column in zip(*table)]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    print("\n{cases} cases, {network} of them with many PEs in the network; kernbench".format(**score["summary"]),
          score["version"])
    print("cause first {first}, second {second}, later {later}, absent {absent}\n"
          "promised / measured where it is named: median {promised_of_gain_median}, 90 % up to {promised_of_gain_90}; "
          "below what was measured in {below_gain}".format(**score["summary"]))
    if "ladder_first" in score["summary"]:
        print("kernbench why: cause first {ladder_first}, second {ladder_second}, absent {ladder_absent}".format(
            **score["summary"]))


def problems(score, cases, options):
    """What must hold: plants dominate, and the score file has these cases with these times."""
    for row in score["cases"]:
        if row["gain"] < LEAST_GAIN:
            yield f"{row['case']}: the plant gains {row['gain']:.3f}x; a case needs {LEAST_GAIN}x"
    if not options.check:
        return
    with open(options.score) as file:
        scored = {row["case"]: row for row in json.load(file)["cases"]}
    if list(scored) != [case["case"] for case in read_cases(options.cases)]:
        yield f"{options.score} has other cases than {options.cases}; write it again with --write"
    for row in score["cases"]:
        old = scored.get(row["case"], row)
        for time in ("planted_ns", "relieved_ns"):
            if abs(old[time] - row[time]) > 1e-6:
                yield f"{row['case']}: {time} is {row[time]}, in {options.score} {old[time]}"
        if old["place"] is not None and (row["place"] is None or row["place"] > old["place"]):
            yield f"{row['case']}: the cause is at place {row['place']}, in {options.score} at {old['place']}"


def write_score(score, path):
    """A line per case, so that a change shows what it changes."""
    lines = ",\n".join("    " + json.dumps(row) for row in score["cases"])
    with open(path, "w") as file:
        file.write(f'{{\n  "version": {json.dumps(score["version"])},\n  "summary": {json.dumps(score["summary"])},\n'
                   f'  "cases": [\n{lines}\n  ]\n}}\n')


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--kernbench", metavar="PROGRAM", default="kernbench", help="the program (default: of PATH)")
    add("--plugin", metavar="FILE", action="append", default=[], help="libcauses.so and others; may be repeated")
    add("--cases", metavar="FILE", default=os.path.join(HERE, "cases.csv"), help="the cases (default: cases.csv)")
    add("--only", metavar="LIST", help="cases with commas between; * stands for anything")
    add("--jobs", metavar="N", type=int, default=os.cpu_count(), help="cases at a time (default: one per core)")
    add("--why", action="store_true", help="also ask kernbench why: is its first or second step, or change, the cause?")
    add("--json", action="store_true", help="print the score as JSON and no table")
    add("--score", metavar="FILE", default=os.path.join(HERE, "score.json"), help="score file (default: score.json)")
    add("--write", action="store_true", help="write the score file")
    add("--check", action="store_true", help="exit with 1 when the score file has other cases or times, or the cause "
                                                      "at an earlier place")
    options = parser.parse_args(arguments)
    if os.path.dirname(options.kernbench):
        options.kernbench = os.path.abspath(options.kernbench)
    options.plugin = [os.path.abspath(plugin) for plugin in options.plugin]
    return options


def chosen(cases, options):
    if options.only is None:
        return cases
    patterns = options.only.split(",")
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(case["case"], pattern) for case in cases):
            raise CaseError(f"--only {pattern}: {options.cases} has no such case")
    return [case for case in cases if any(fnmatch.fnmatchcase(case["case"], pattern) for pattern in patterns)]


def main(arguments):
    options = parse(arguments)
    try:
        if options.write and options.only:
            raise CaseError("--write needs all cases; leave --only out")
        cases = chosen(read_cases(options.cases), options)
        score = score_all(cases, options)
        wrong = list(problems(score, cases, options))
    except (CaseError, OSError) as error:
        print(f"causes.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(score, indent=2))
    else:
        show(score)
    for line in wrong:
        print(f"causes.py: {line}", file=sys.stderr)
    if options.write and not wrong:
        write_score(score, options.score)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

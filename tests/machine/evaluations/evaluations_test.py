#!/usr/bin/env python3
"""One evaluation on the reference machine: its results are those of evaluations/NAME/reference (E-84), its checks hold,
and each check notices a change of the data.

usage: evaluations_test.py NAME KERNBENCH SOURCES

tests/machine/evaluations/NAME.txt has a line `RULE: SQL` for each change: the SQL is run on the tables of the sweeps,
`--fast` evaluates them again, and a check RULE has to fail.
"""

import csv
import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

NAME, KERNBENCH, SOURCES = sys.argv[1:4]
SHOWN = 20
# The last digits of a double depend on the order of sums, which a compiler may choose.
ROUNDING = 1e-9


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def evaluate(out, *options):
    command = [KERNBENCH, "evaluate", f"{SOURCES}/evaluations/{NAME}", "--out", out, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def read_table(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def is_same(cell, other):
    try:
        return abs(float(cell) - float(other)) <= ROUNDING * max(abs(float(cell)), abs(float(other)))
    except ValueError:
        return cell == other


def compare(path, reference):
    rows, wanted = read_table(path), read_table(reference)
    name = os.path.basename(reference)
    expect(len(rows) == len(wanted), f"{name}: {len(rows)} lines, the reference has {len(wanted)}")
    differences = []
    for line, (row, other) in enumerate(zip(rows, wanted), 1):
        expect(len(row) == len(other), f"{name}:{line}: {len(row)} cells, the reference has {len(other)}")
        for column, (cell, reference_cell) in enumerate(zip(row, other)):
            if not is_same(cell, reference_cell):
                differences.append(f"{name}:{line}: {wanted[0][column]} is {cell}, the reference has {reference_cell}")
    expect(not differences, "\n".join(differences[:SHOWN]) + f"\n{len(differences)} differences; when they are meant: "
           f"kernbench evaluate {NAME}, and copy the table to evaluations/{NAME}/reference")


def changes():
    path = f"{SOURCES}/tests/machine/evaluations/{NAME}.txt"
    with open(path) as file:
        for line in file:
            line = line.strip()
            if line and not line.startswith("#"):
                yield line.split(": ", 1)


def main():
    folder = tempfile.mkdtemp(prefix="kb-evaluation-")
    try:
        out = f"{folder}/out"
        done = evaluate(out)
        expect(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        references = sorted(glob.glob(f"{SOURCES}/evaluations/{NAME}/reference/*.csv"))
        expect(references, f"evaluations/{NAME}/reference has no table")
        for reference in references:
            compare(f"{out}/{os.path.basename(reference)}", reference)
        tables = f"{out}/{NAME}.sqlite"
        shutil.copy(tables, f"{folder}/tables")
        again = evaluate(out, "--fast")
        expect(again.returncode == 0, f"--fast: exit code {again.returncode}\n{again.stderr}")
        count = 0
        for rule, change in changes():
            shutil.copy(f"{folder}/tables", tables)
            with sqlite3.connect(tables) as database:
                touched = database.execute(change).rowcount
            database.close()
            expect(touched > 0, f"this changes nothing: {change}")
            failed = evaluate(out, "--fast")
            expect(failed.returncode == 1 and f"check {rule} failed" in failed.stderr,
                   f"no check {rule} notices: {change}\n{failed.returncode}\n{failed.stderr}")
            count += 1
        expect(count > 0, "no change of the data is tried")
        print(f"{NAME}: {len(references)} tables as the reference, {count} changes noticed")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()

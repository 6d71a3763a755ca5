"""Result files of kernbench, with the standard library only; kernbench.frames returns them as pandas tables.

    run = kernbench.Run("r")                  # the folder of: kernbench run --record r
    run.result["launches"], run.operations("op_name = ?", ["gemm"])
    kernbench.points("sweeps/tiles")          # the folder of: kernbench sweep tiles.yaml
"""

import contextlib
import csv
import json
import pathlib
import sqlite3

OPS_SCHEMA = "2"  # the form of ops.sqlite that this reads


class Run:
    """One run: result.json in its folder and, if it was recorded, ops.sqlite. Raises ValueError for another version."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        with open(self.folder / "result.json", encoding="utf-8") as file:
            self.result = json.load(file)
        if not {"kernels", "block_kinds"} <= self.result.keys():
            raise ValueError(f"{self.folder}/result.json is of kernbench {self.result.get('version', '?')}, which sums "
                             "nothing up by kernel; run it again")

    def operations(self, where="1", values=()):
        """Operations in order, as dictionaries. `where` is an SQL condition on the columns of the view ops."""
        with self.database() as connection:
            connection.row_factory = sqlite3.Row
            for row in connection.execute(operations_query(where), values):
                yield dict(row)

    @contextlib.contextmanager
    def database(self):
        """ops.sqlite, to be read. FileNotFoundError when the run has neither operations nor details."""
        path = self.folder / "ops.sqlite"
        if not path.exists():
            raise FileNotFoundError(f"{path}: the run was not recorded (kernbench run --record {self.folder}, or --details "
                                    "for single PEs and blocks alone)")
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            version = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()[0]
            if version != OPS_SCHEMA:
                raise ValueError(f"{path} has form {version}, this reads {OPS_SCHEMA}")
            yield connection
        finally:
            connection.close()


def operations_query(where):
    return "SELECT ops.*, op.t_start_fs, op.t_end_fs FROM ops JOIN op USING (seq) WHERE " + where + " ORDER BY seq"


def points(folder):
    """Successful points of a sweep, in order, as dictionaries of text. Raises ValueError when there is none."""
    with open(pathlib.Path(folder) / "points.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    good = [row for row in rows if row["status"] == "ok"]
    if not good:
        raise ValueError(f"{folder}: no point has succeeded: " + "; ".join(sorted({row["cause"] for row in rows})))
    return good

"""Result files of kernbench as pandas tables (DataFrame).

    from kernbench import frames as kb
    run = kb.Run("r")                     # the folder of: kernbench run --record r
    run.launches(), run.pes(), run.blocks(), run.breakdown(), run.operations(), run.activities()
    points = kb.sweep("sweeps/tiles")     # the folder of: kernbench sweep tiles.yaml

Times are in nanoseconds (floating point); Run.operations() also has exact femtoseconds.
"""

import json
import pathlib

import pandas as pd

from . import results


class Run(results.Run):
    """One run: result.json in its folder and, if it was recorded, ops.sqlite."""

    def launches(self):
        """One row per launch and SIP, the 256 longest of a run; pe_exec_ns.max is the critical path."""
        rows = [{key: value for key, value in launch.items() if key != "breakdown"}
                for launch in self.result["launches"]]
        return pd.json_normalize(rows)

    def pes(self):
        """One row per PE of each launch, of the first 256 launches. FileNotFoundError without --record and --details."""
        times = ", ".join(f"{name}_fs / 1e6 AS {name}_ns" for name in ("start", "exec", "dma", "compute", "late"))
        return self._query(f"SELECT cube, pe, {times}, launch_id AS id, kernel, sip FROM launch_pe JOIN "
                           "(SELECT id AS launch_id, sip, kernel FROM launch) USING (launch_id, sip) "
                           "ORDER BY launch_id, sip, cube, pe", ())

    def breakdown(self):
        """Division of the time of each launch into parts, in ns, for the PE that ended last; the parts add up to the time."""
        rows = {(launch["id"], launch["sip"]): launch["breakdown"] for launch in self.result["launches"]
                if launch["breakdown"]}
        table = pd.DataFrame.from_dict(rows, orient="index")
        table.index.names = ["id", "sip"]
        return table.drop(columns=["busy", "limiter", "limiter_text", "pe"], errors="ignore")

    def blocks(self):
        """Statistics of every block that was used: node, kind, statistic, value, unit. FileNotFoundError without
        --record and --details."""
        return self._query("SELECT block AS node, kind, name AS statistic, CASE unit WHEN 'ns' THEN value / 1e6 ELSE value "
                           "END AS value, unit FROM block_statistic ORDER BY block, name", ())

    def config(self):
        """All configuration keys of the machine, with value and origin."""
        return pd.DataFrame.from_dict(self.result["config"], orient="index")

    def operations(self, where="1", values=()):
        """Operations of ops.sqlite in order. `where` is an SQL condition on the columns of the view ops; only rows that
        satisfy it are read, because a run may have millions."""
        return self._query(results.operations_query(where), values)

    def activities(self):
        """Utilisation of wires, pseudo-channels, DMA channels and engines in each launch; `used` is a fraction."""
        return self._query("SELECT * FROM activities", ())

    def _query(self, query, values):
        with self.database() as connection:
            return pd.read_sql_query(query, connection, params=values)


def parameters(operations):
    """Expands the parameters of operations into columns; all operations must be of one kind."""
    return pd.json_normalize(operations["params"].map(json.loads)).set_index(operations.index)


def sweep(folder):
    """Successful points of a sweep, in order, with the columns that the sweep file names."""
    points = pd.read_csv(pathlib.Path(folder) / "points.csv", index_col="point")
    good = points[points["status"] == "ok"]
    if good.empty:
        raise ValueError(f"{folder}: no point has succeeded: " + "; ".join(sorted(set(points["cause"].dropna()))))
    return good.drop(columns=["status", "cause"])

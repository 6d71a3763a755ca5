"""Tables of a recorded run, and of a sweep.

    kernbench run --bench matmul-composite --record r
    kernbench sweep tiles.yaml
    python3 look.py r sweeps/tiles
"""

import sys

from kernbench import frames as kb


def show(title, table, **options):
    print(f"\n{title}\n{table.to_string(**options)}")


def look_at_run(folder):
    run = kb.Run(folder)
    launches = run.launches()
    show("Launches", launches[["id", "kernel", "sip", "pe_exec_ns.max", "dma_ns", "compute_ns"]], index=False)

    breakdown = run.breakdown()
    shares = breakdown.div(breakdown.sum(axis=1), axis=0).mul(100).round(1)
    show("Where the time went, % of the launch", shares.loc[:, (shares > 0).any()])

    pes = run.pes()
    slowest = pes.loc[pes.groupby(["id", "sip"])["exec_ns"].idxmax()]
    show("Slowest PEs", slowest[["id", "sip", "cube", "pe", "exec_ns", "compute_ns"]], index=False)

    busy = run.blocks().query("statistic.str.endswith('busy') and unit == 'ns'")
    show("Busiest", busy.nlargest(5, "value")[["node", "statistic", "value"]], index=False)

    reads = run.operations("op_name IN ('dma_read', 'TileToken/DMA_READ')")
    if len(reads):
        reads["bytes"] = kb.parameters(reads)["nbytes"]
        per_us = reads.groupby((reads["t_start_ns"] // 1000).astype(int).rename("us"))["bytes"].agg(["count", "sum"])
        show("Reads that began in each microsecond", per_us.head(10))


def look_at_sweep(folder):
    points = kb.sweep(folder)
    values = points.drop(columns="pareto", errors="ignore")  # there are objectives when it has this column
    axes, value = list(values.columns[:2]), values.columns[-1]
    show(f"{value} by {' and '.join(axes)}", values.pivot_table(index=axes[0], columns=axes[1], values=value))
    if "pareto" in points:
        show("Pareto front", values[points["pareto"] == 1])
    else:
        show("Best point", values.loc[[values[value].idxmax()]])


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    look_at_run(sys.argv[1])
    if len(sys.argv) == 3:
        look_at_sweep(sys.argv[2])

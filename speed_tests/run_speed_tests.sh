#!/usr/bin/env bash
# Prints every speed figure as the median of five processes:
#   speed_tests/run_speed_tests.sh FABRIC_SPEED KERNBENCH OPLOG_SPEED REPLAY_SPEED DEVICE_SPEED DRAM_SPEED
# PARTS=cosimulation prints those of co-simulation and waveforms alone.
set -euo pipefail
fabric=$1
kernbench=$2
oplog=$3
replay=$4
device=$5
dram=$6
parts=${PARTS:-all}
source=$(cd "$(dirname "$0")/.." && pwd)
configs=$(cd "$(dirname "$0")/../configs" && pwd)
runs=${RUNS:-5}
calls=400000
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 LC_ALL=C  # the table alone; numbers with a decimal point
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "CPU: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1); median of $runs processes, CPU time"
median() { sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }
row() { printf '%-74s %-22s %s\n' "$1" "$2" "$3"; }

# A figure that the program prints itself.
figure() { # NAME FIELD COMMAND...
  local name=$1 field=$2 value
  shift 2
  value=$(for _ in $(seq "$runs"); do "$@" | awk -F'\t' -v f="$field" '$1==f {print $2}'; done | median)
  row "$name" "$field" "$value"
}

# User and system time of a whole process, from its start to its end.
process_seconds() { # COMMAND...
  local TIMEFORMAT='%3U %3S'
  if ! { time "$@" >"$work/output" 2>&1; } 2>"$work/time"; then
    cat "$work/output" >&2
    echo "failed: $*" >&2
    return 1
  fi
  awk '{print $1 + $2}' "$work/time"
}
median_process_seconds() { for _ in $(seq "$runs"); do process_seconds "$@" || exit 1; done | median; }
process() { # NAME KERNBENCH_RUN_OPTIONS...
  local name=$1 value
  shift
  value=$(median_process_seconds "$kernbench" run --out "$work" --quiet "$@")
  row "$name, whole process" cpu_s "$value"
}
# Of a run that records for its findings against one that does not, by turns; the instructions where valgrind is there.
recording() { # NAME KERNBENCH_RUN_OPTIONS...
  local name=$1 with without
  shift
  local command=("$kernbench" run --out "$work" --quiet "$@")
  for _ in $(seq "$runs"); do
    process_seconds "${command[@]}" >>"$work/with"
    process_seconds "${command[@]}" --no-findings >>"$work/without"
  done
  with=$(median <"$work/with")
  without=$(median <"$work/without")
  rm "$work/with" "$work/without"
  row "recording: $name, with findings / without" cpu_ratio "$(awk -v a="$with" -v b="$without" 'BEGIN {printf "%.2f", a / b}')"
  command -v valgrind >/dev/null || return 0
  with=$(instructions "${command[@]}")
  without=$(instructions "${command[@]}" --no-findings)
  row "recording: $name, with findings / without" instruction_ratio "$(awk -v a="$with" -v b="$without" 'BEGIN {printf "%.3f", a / b}')"
}
instructions() { # COMMAND...
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >"$work/output" | sed -n 's/.*Collected : //p'
}
# Drawings of a topology; the time of reading the machine, which every command has, is taken off.
views_ms() { # CONFIG
  local drawn plain
  drawn=$(median_process_seconds "$kernbench" topology "$configs/$1.yaml" --svg "$work")
  plain=$(median_process_seconds "$kernbench" topology "$configs/$1.yaml")
  row "one of four SVG views, $1" cpu_ms "$(awk -v d="$drawn" -v p="$plain" 'BEGIN {printf "%.1f", (d > p ? d - p : 0) * 1000 / 4}')"
}
tl_calls() { # CONFIG AHEAD
  local value
  value=$(median_process_seconds "$kernbench" run --out "$work" --quiet --topology "$configs/$1.yaml" --bench stream \
    --set calls=$calls --set ahead="$2" --oplog "$work/oplog.tsv")
  row "$calls tl loads and stores of 64 B, $2 loads ahead, op log on, whole process, $1" tl_calls_per_cpu_s \
    "$(awk -v c=$calls -v s="$value" 'BEGIN {printf "%.0f", c / s}')"
}

# Outside models, RTL, a peer in another process.
cosimulation() {
  local scenario style data bytes pair file
  for scenario in inside embedded clock free; do
    figure "random traffic of the reference machine, $scenario" cpu_us_per_transaction "$device" "$scenario" "$configs/reference.yaml"
  done
  for scenario in inside "embedded off" "embedded eager" chain "lt off" "lt eager"; do
    read -r style data <<<"$scenario"
    for bytes in 256 4096; do
      figure "transfers of $bytes B of the reference machine, $scenario" cpu_us_per_transaction \
        "$device" "$style" "$configs/reference.yaml" "$bytes" ${data:+"$data"}
    done
  done
  figure "reads of 64 B, one_pe, inside" cpu_us_per_transaction "$device" inside "$configs/one_pe.yaml" 64
  figure "the same" events_per_transaction "$device" inside "$configs/one_pe.yaml" 64
  figure "the same by phases through one target socket" cpu_us_per_transaction "$device" embedded "$configs/one_pe.yaml" 64
  figure "the same" events_per_transaction "$device" embedded "$configs/one_pe.yaml" 64
  for pair in cpu_us_per_access deltas_per_access; do
    figure "accesses to a memory outside" "$pair" "$device" outbound "$configs/one_pe.yaml"
  done
  rtl_router
  serve
  for file in none w.vcd w.fst flit.vcd flit.fst; do waveform "$file"; done
}
# Edges of all routers over the CPU time of the run beyond that of the same run without RTL.
rtl_router() {
  local machine="$work/rtl.yaml" built_in rtl cycles
  cp "$configs/one_cube.yaml" "$machine"
  built_in=$(median_process_seconds "$kernbench" run --quiet --topology "$machine" --bench matmul-composite-multi-pe)
  printf 'replace:\n  - {nodes: "sip0.cube0.r*", impl: rtl.router}\n' >>"$machine"
  if ! "$kernbench" check "$machine" >"$work/output" 2>&1; then
    row "RTL routers, one_cube" edges_per_cpu_s "not built (verilator)"
    return
  fi
  rtl=$(median_process_seconds "$kernbench" run --quiet --out "$work" --topology "$machine" --bench matmul-composite-multi-pe)
  cycles=$(tr -d '\n ' <"$work/result.json" | grep -o '"rtl_cycles":{"value":[0-9]*' | awk -F: '{s += $3} END {print s}')
  row "all routers of one_cube from RTL, beyond the run without" edges_per_cpu_s \
    "$(awk -v c="$cycles" -v r="$rtl" -v b="$built_in" 'BEGIN {printf "%.0f", c / (r - b)}')"
}
serve() {
  local value
  value=$(for _ in $(seq "$runs"); do
    rm -f "$work/kb.sock"
    "$kernbench" serve --remote-port "unix:$work/kb.sock" --topology "$configs/one_pe.yaml" >"$work/output" &
    while [ ! -S "$work/kb.sock" ]; do sleep 0.02; done
    PYTHONPATH="$source/python" python3 "$source/examples/remote/test_bench.py" "$work/kb.sock" --speed | sed -n 's/ round trips per second//p'
    wait
  done | median)
  row "register reads of a Python peer of kernbench serve, real time" round_trips_per_s "$value"
}
waveform() { # FILE: none, or its name; flit.* have every flit
  local options=() size=0
  if [ "$1" != none ]; then options=(--wave "$work/$1"); fi
  if [[ "$1" == flit.* ]]; then options+=(--wave-detail flit); fi
  process "default run, waveform: $1" "${options[@]}"
  if [ "$1" != none ]; then size=$(stat -c %s "$work/$1"); fi
  row "default run, waveform: $1" megabytes "$(awk -v s="$size" 'BEGIN {printf "%.2f", s / 1e6}')"
}

if [ "$parts" = cosimulation ]; then
  cosimulation
  exit
fi
# The bar of sweeps: 1000 points of a run of 10 ms on two cores in 12 s. A point is a kernel of so many loads and stores.
sweep_of_1000() {
  local wall=() cpu=() TIMEFORMAT='%3R %3U %3S' i
  cat >"$work/sweep.yaml" <<END
sweep: speed
workload: stream
topology: $configs/one_pe.yaml
axes: {calls: {set: calls, range: {from: 5001, to: 6000, step: 1}}}
columns: {time_ns: max /launches/*/pe_exec_ns/max}
END
  for i in $(seq "$runs"); do
    rm -rf "$work/sweep"
    if ! { time "$kernbench" sweep "$work/sweep.yaml" --out "$work/sweep" --quiet --jobs 2 >"$work/output" 2>&1; } 2>"$work/time"; then
      cat "$work/output" >&2
      return 1
    fi
    wall+=("$(awk '{print $1}' "$work/time")")
    cpu+=("$(awk '{print $2 + $3}' "$work/time")")
  done
  row "sweep of 1000 points of about 10 ms, two at a time" wall_s "$(printf '%s\n' "${wall[@]}" | median)"
  row "sweep of 1000 points of about 10 ms, two at a time" cpu_s "$(printf '%s\n' "${cpu[@]}" | median)"
}

for config in one_cube reference large; do
  figure "random traffic, $config" mflit_hops_per_cpu_s "$fabric" random "$configs/$config.yaml"
done
figure "dense random traffic in each SIP, reference" mflit_hops_per_cpu_s "$fabric" dense "$configs/reference.yaml"
figure "one contended hot path, one_sip" mflit_hops_per_cpu_s "$fabric" hotspot "$configs/one_sip.yaml"
for size in 256 1048576; do
  figure "uncontended transfer of $size B, reference" events "$fabric" single "$configs/reference.yaml" "$size"
  figure "uncontended transfer of $size B, reference" cpu_us "$fabric" single "$configs/reference.yaml" "$size"
done
for load in sequential random copy; do
  figure "memory channel with banks, hbm2_vega, $load" accesses_per_cpu_s "$dram" "$load" preset=hbm2_vega
done
# The same run with each memory controller behind its block.
one_cube=(--topology "$configs/one_cube.yaml" --bench matmul-composite-multi-pe --set m=1024 --set k=1024 --set n=1024
  --set cube.memory_map.hbm_channel_bw_gbs=25.6)
process "matmul-composite-multi-pe 1024x1024x1024 on one_cube, timing only" "${one_cube[@]}"
process "the same with banks" "${one_cube[@]}" --set cube.components.hbm_ctrl.impl=builtin.hbm_banked \
  --set cube.components.hbm_ctrl.attrs.sids=3
for config in reference large; do
  figure "start-up to first event, $config" startup_cpu_s "$fabric" startup "$configs/$config.yaml"
  figure "start-up to first event, $config" rss_mb "$fabric" startup "$configs/$config.yaml"
done
for config in one_pe reference; do
  tl_calls "$config" 0
  tl_calls "$config" 2
done
for file in oplog.tsv oplog.sqlite; do
  figure "operation log of 2 million rows, $file" rows_per_cpu_s "$oplog" "$work/$file" 2000000
  figure "operation log of 2 million rows, $file" writing_rows_per_cpu_s "$oplog" "$work/$file" 2000000
done
for dtype in f32 f16 bf16 i8; do
  row "replay of a 1024x1024x1024 product in $dtype against Eigen's in f32" rate_ratio \
    "$(for _ in $(seq "$runs"); do
      "$replay" --benchmark_filter="^replay/$dtype/1024/" 2>/dev/null | sed -n 's/.* ratio=\([0-9.]*\).*/\1/p'
    done | median)"
done
sweep_of_1000
process "./run: gemm-multi-pe on reference, verified" --bench gemm-multi-pe --verify-data
process "gemm-single-pe 512x512x512 on reference, verified" --bench gemm-single-pe --set m=512 --set k=512 --set n=512 \
  --verify-data
composite=(--topology "$configs/one_pe.yaml" --bench matmul-composite)
process "matmul-composite 512x512x512 on one_pe, timing only" "${composite[@]}"
process "matmul-composite 512x512x512 on one_pe, verified" "${composite[@]}" --verify-data
process "matmul-composite-multi-pe 4096x4096x4096 on the 256 PEs of reference, op log on" \
  --bench matmul-composite-multi-pe --set m=4096 --set k=4096 --set n=4096 --oplog /dev/null
process "gpt3-qkv on the 256 PEs of reference, op log on" --bench gpt3-qkv --oplog /dev/null
process "gemm-multi-pe 1024x2048x2048 on the 32 PEs of a SIP of modern, banked memory" --topology "$configs/modern.yaml" \
  --bench gemm-multi-pe --set rows_per_pe=32 --set k=2048 --set n=2048
process "map-tensors: 100 tensors over the 128 PEs of one_sip" --topology "$configs/one_sip.yaml" --bench map-tensors
recording "matmul-composite-multi-pe, 256 PEs" --bench matmul-composite-multi-pe
recording "flash-attention on one PE" --bench flash-attention --device sip:0
recording "flash-attention on the 128 PEs of a SIP" --bench flash-attention --device sip:0 --set pes=all
recording "tp-transformer-block" --bench tp-transformer-block
recording "gemm-multi-pe" --bench gemm-multi-pe
recording "stream" --bench stream
for config in reference one_sip large; do
  process "start-up and one empty launch, $config" --topology "$configs/$config.yaml" --bench noop
done
"$kernbench" run --quiet --record "$work/run" --bench matmul-composite-multi-pe --set m=1024 --set k=1024 --set n=1024
row "HTML report of 256 PEs, whole process (at most 1 s)" cpu_s \
  "$(median_process_seconds "$kernbench" report "$work/run" --out "$work/report.html")"
row "HTML report of 256 PEs (at most 2 000 000)" bytes "$(wc -c <"$work/report.html")"
operations=$(sqlite3 "$work/run/ops.sqlite" 'SELECT count(*) FROM op')
seconds=$(median_process_seconds "$kernbench" convert "$work/run" --perfetto "$work/trace")
row "trace of Perfetto of $operations operations (at most 40)" bytes_per_operation \
  "$(awk -v b="$(wc -c <"$work/trace")" -v n="$operations" 'BEGIN {printf "%.1f", b / n}')"
row "trace of Perfetto of $operations operations (at least 1 000 000)" operations_per_cpu_s \
  "$(awk -v n="$operations" -v s="$seconds" 'BEGIN {printf "%.0f", n / s}')"
for config in reference large; do views_ms "$config"; done  # at most 20 ms
cosimulation

#!/usr/bin/env bash
# Compares two builds of kernbench bit for bit: op log, result, waveforms, traffic and probe times on three machines, and
# blocks from RTL where both builds have them.
#   compare_builds.sh [--short] KERNBENCH_A KERNBENCH_B     exit 0 when everything is equal
# --short: a few workloads, for every change.
# Results are compared up to "host", which holds what was measured on this computer.
set -euo pipefail
short=no
if [ "${1-}" = --short ]; then
  short=yes
  shift
fi
[ "$#" -eq 2 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
a="$(realpath "$1")" b="$(realpath "$2")"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
configs="$root/configs"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/a" "$work/b"
compared=0 different=0 refused=0

# both NAME ARGUMENT...: runs A and B in a folder each; they must end alike.
both() {
  local name="$1" rc_a=0 rc_b=0
  shift
  (cd "$work/a" && "$a" "$@" >out.txt 2>err.txt) || rc_a=$?
  (cd "$work/b" && "$b" "$@" >out.txt 2>err.txt) || rc_b=$?
  if [ "$rc_a" -eq 2 ] && [ "$rc_b" -eq 2 ] && cmp -s "$work/a/err.txt" "$work/b/err.txt"; then
    echo "refused   $name: $(head -n 1 "$work/a/err.txt")"  # a machine can be too small for a workload
    refused=$((refused + 1))
    return 1
  fi
  if [ "$rc_a" -ne 0 ] || [ "$rc_b" -ne 0 ]; then
    echo "FAILED    $name: exit codes $rc_a and $rc_b"
    tail -n 3 "$work/a/err.txt" "$work/b/err.txt"
    different=$((different + 1))
    return 1
  fi
}

# same NAME FILE: the two files have bytes, and the same ones.
same() {
  compared=$((compared + 1))
  if [ ! -s "$work/a/$2" ] || ! cmp -s "$work/a/$2" "$work/b/$2"; then
    echo "DIFFERENT $1: $2"
    diff "$work/a/$2" "$work/b/$2" | head -n 6 || true
    different=$((different + 1))
  fi
}

# unpack_waves NAME: two FST files whose bytes differ, as those of two versions of libdeflate do, are compared as VCD.
unpack_waves() {
  local side
  if cmp -s "$work/a/waves.fst" "$work/b/waves.fst"; then return; fi
  command -v fst2vcd >/dev/null || { echo "$1: for the content of an FST install gtkwave"; return; }
  for side in a b; do
    fst2vcd "$work/$side/waves.fst" -o "$work/$side/unpacked.vcd"
    mv "$work/$side/unpacked.vcd" "$work/$side/waves.fst"
  done
}

# Overlapping requests of eight PEs (of one on a smaller machine) to the first slice, with odd sizes.
traffic() {
  local pes="$1"
  echo "id,issue_ns,op,src,dst,bytes"
  awk -v pes="$pes" 'BEGIN {
    for (i = 0; i < 400; ++i)
      printf "%d,%d.%03d,pe_%s,sip0.cube0.pe%d,0x2000%06x,%d\n", i, i / 3, i * 37 % 1000, i % 3 ? "write" : "read",
             i % pes, i * 4096 % 1000000, 1 + i * i * 7919 % 20000
  }'
}

workloads="$("$a" list --json | sed -n '/"index":/{n;s/^ *"name": "\([^"]*\)",$/\1/p}')"
[ "$(wc -w <<<"$workloads")" -ge 6 ] || { echo "kernbench list names too few workloads: $workloads"; exit 1; }

[ "$short" = yes ] && workloads="attention ccl-allreduce copy gemm-multi-pe matmul-composite tp-mlp"

# same_run NAME WAVEFORM ARGUMENT...: a run of both, its op log, result and waveform.
same_run() {
  local name="$1" waves="$2" side file
  shift 2
  both "$name" run "$@" --quiet --out results --oplog ops.tsv --wave "$waves" || return 0
  for side in a b; do sed '/"host": {/,$d' "$work/$side/results/result.json" >"$work/$side/result.txt"; done
  case "$waves" in *.fst) unpack_waves "$name" ;; esac
  for file in ops.tsv result.txt "$waves"; do same "$name" "$file"; done
}

for machine in one_pe one_cube reference; do
  for workload in $workloads; do
    same_run "$machine $workload" waves.vcd --topology "$configs/$machine.yaml" --bench "$workload" --data replay
  done
  pes=8
  [ "$machine" = one_pe ] && pes=1
  traffic "$pes" | tee "$work/a/traffic.csv" >"$work/b/traffic.csv"
  if both "$machine traffic" traffic --topology "$configs/$machine.yaml" --trace traffic.csv; then
    same "$machine traffic" out.txt
  fi
  if both "$machine probe" probe --topology "$configs/$machine.yaml" --json; then same "$machine probe" out.txt; fi
done
same_run "one_cube gemm-multi-pe, FST" waves.fst --topology "$configs/one_cube.yaml" --bench gemm-multi-pe --wave-detail flit
same_run "RTL" waves.vcd --topology "$root/examples/rtl/machine.yaml" --bench gemm-multi-pe --set dtype=i8 --data eager
echo "$compared comparisons, $different differences, $refused runs refused by both"
[ "$different" -eq 0 ] && [ "$refused" -lt "$compared" ]

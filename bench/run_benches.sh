#!/usr/bin/env bash
# Prints every speed figure as the median of five processes: bench/run_benches.sh FABRIC_BENCH KERNBENCH
set -euo pipefail
fabric=$1
kernbench=$2
configs=$(cd "$(dirname "$0")/../configs" && pwd)
runs=${RUNS:-5}

echo "CPU: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1); median of $runs processes, CPU time"
median() { sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }
figure() { # NAME FIELD COMMAND...
  local name=$1 field=$2
  shift 2
  for _ in $(seq "$runs"); do "$@" | awk -F'\t' -v f="$field" '$1==f {print $2}'; done | median |
    awk -v n="$name" -v f="$field" '{printf "%-58s %-24s %s\n", n, f, $1}'
}
for config in one_cube reference large; do
  figure "random traffic, $config" mflit_hops_per_cpu_s "$fabric" random "$configs/$config.yaml"
done
figure "one contended hot path, one_sip" mflit_hops_per_cpu_s "$fabric" hotspot "$configs/one_sip.yaml"
for size in 256 1048576; do
  figure "uncontended transfer of $size B, reference" events "$fabric" single "$configs/reference.yaml" "$size"
  figure "uncontended transfer of $size B, reference" cpu_us "$fabric" single "$configs/reference.yaml" "$size"
done
for config in reference large; do
  figure "start-up to first event, $config" startup_cpu_s "$fabric" startup "$configs/$config.yaml"
  figure "start-up to first event, $config" rss_mb "$fabric" startup "$configs/$config.yaml"
done

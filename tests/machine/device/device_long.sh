#!/usr/bin/env bash
# A thousand seeds of equal times, each in a process of its own, and a million transfers.
#   device_long.sh DEVICE_TEST [FIRST END]
set -euo pipefail
output="$(mktemp)"
trap 'rm -f "$output"' EXIT
program="$1" first="${2:-1000}" end="${3:-2000}"
for ((seed = first; seed < end; ++seed)); do
  KB_ROWS=60 KB_FIRST_SEED=$seed KB_END_SEED=$((seed + 1)) "$program" --gtest_brief=1 --gtest_filter='*Equality*' >"$output" 2>&1 ||
    { cat "$output"; echo "seed $seed: times differ"; exit 1; }
done
[ $# -gt 1 ] || KB_TRANSFERS=1000000 "$program" --gtest_brief=1 --gtest_filter='*FourInitiators*'

#!/usr/bin/env bash
# A thousand seeds of equal times, each in a process of its own, and a million transfers.
#   device_long.sh DEVICE_TEST [FIRST END]
set -euo pipefail
program="$1" first="${2:-1000}" end="${3:-2000}"
for ((seed = first; seed < end; ++seed)); do
  KB_ROWS=60 KB_FIRST_SEED=$seed KB_END_SEED=$((seed + 1)) "$program" --gtest_brief=1 --gtest_filter='*Equality*' >"/tmp/device_long.$$" 2>&1 ||
    { cat "/tmp/device_long.$$"; echo "seed $seed: times differ"; exit 1; }
done
rm -f "/tmp/device_long.$$"
[ $# -gt 1 ] || KB_TRANSFERS=1000000 "$program" --gtest_brief=1 --gtest_filter='*FourInitiators*'

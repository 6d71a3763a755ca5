#!/usr/bin/env bash
# Random traffic against the per-flit oracle, 1500 requests per run and a process for each:
#   random_traffic_long.sh RANDOM_TRAFFIC_TEST [FIRST_SEED END_SEED]
set -euo pipefail
export KB_FIRST_SEED=${2:-1000} KB_END_SEED=${3:-1100} SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1

runs=$((KB_END_SEED - KB_FIRST_SEED))
for ((i = 0; i < runs; ++i)); do
  printf '*TimesEqualThePerFlitOracle/%d\n*WhenTransactionsAreReused/%d\n*ForeignRoutersHaveTheTimesOfTheBuiltInOnes/%d\n' "$i" "$i" "$i"
done | xargs -P "$(nproc)" -I FILTER sh -c \
  'out=$("$0" --gtest_brief=1 --gtest_filter="$1" 2>&1) || { echo "seed range from $KB_FIRST_SEED, $1"; echo "$out"; exit 1; }' \
  "$1" FILTER
echo "$((3 * runs * 1500)) requests equal the oracle, a third of them through foreign routers"

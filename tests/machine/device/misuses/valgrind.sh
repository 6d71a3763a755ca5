#!/usr/bin/env bash
# Every misuse under valgrind, two at a time: nothing is read or written outside of what is there, nothing undefined
# decides, nothing is lost.
#   misuses/valgrind.sh MISUSE_TEST
set -euo pipefail
program=$1
folder=$(cd "$(dirname "$0")" && pwd)
command -v valgrind >/dev/null || { echo "valgrind is not installed (apt-get install valgrind)" >&2; exit 2; }
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" --gtest_list_tests | awk '/^[^ ]/ {suite = $1} /^ / {print suite $1}' >names
[ "$(wc -l <names)" -ge 60 ] || { echo "there are fewer than 60 misuses: $(wc -l <names)" >&2; exit 1; }
check() {
  valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --suppressions="$folder/valgrind.supp" "$program" --gtest_filter="$1" >"log.$$" 2>&1 && return
  echo "FAILED $1"
  cat "log.$$"
  return 1
}
export -f check
export program folder
xargs -a names -P 2 -I{} bash -c 'check "$1"' _ {}
echo "$(wc -l <names) misuses, clean"

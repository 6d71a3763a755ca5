#!/usr/bin/env bash
# A README command on a machine that has nothing: ./run --yes or ./test --yes, without a question and a terminal. It also
# fails when compiler or CMake warn. tests/bare_machine.sh and the Containerfile call it.
#   readme_commands.sh run|test [options of the command]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case "${1-}" in
  run | test) command="./$1" ;;
  *) sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
shift
"$command" --yes "$@" </dev/null 2>&1 | cat  # what is built is logged where there is no terminal
found="$(grep -nE 'warning:|CMake (Deprecation )?Warning' build/release/{configure,build}.log || true)"
[ -z "$found" ] || { printf 'readme_commands.sh: %s builds with warnings:\n%s\n' "$command" "$found" >&2; exit 1; }

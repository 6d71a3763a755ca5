#!/usr/bin/env bash
# The page: its bundle is what its sources give, these import each other in one direction, and it works in Chromium. Two minutes.
#   web/test.sh [KERNBENCH]     default: the release build, which is brought up to date
# Pictures of the pages lie in web/test/out afterwards.
set -euo pipefail
web="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$web/../cmake/bootstrap.sh"

missing=()
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
command -v "${CHROMIUM:-chromium}" >/dev/null || missing+=(chromium)
[ "${#missing[@]}" -eq 0 ] || ensure_packages yes "${missing[@]}"

say "web/dist is what web/src gives"
"$web/build.sh" --check
say "web/src has no cycle of imports"
node "$web/test/imports.mjs"
program="${1:-}"
if [ -z "$program" ]; then
  build_preset release kernbench engines_plugin
  program="$root/build/release/bin/kernbench"
fi
say "the pages in Chromium"
program="$(realpath "$program")"
plugin="$(dirname "$program")/../tests/machine/cli/libengines_plugin.so"  # beside the program of a build folder
[ -f "$plugin" ] || { plugin=""; say "without the engine of a plug-in, which is not built"; }
CHROMIUM="$(command -v "${CHROMIUM:-chromium}")" timeout 600 node "$web/test/pages.mjs" "$program" "$web/test/out" ${plugin:+"$plugin"}

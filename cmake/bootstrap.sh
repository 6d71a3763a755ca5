# Sourced by ./run, ./test and .ci/run: packages and builds. Sets `root`.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
jobs="${KB_JOBS:-$(nproc)}"
test_jobs="${KB_JOBS:-$(($(nproc) + 1))}"  # some tests wait for others: for Slurm, for servers, for a time limit

# With KB_STARTED, seconds since the epoch, it also says how long ago that was.
say() {
  local seconds="$(($(date +%s) - ${KB_STARTED:-0}))"
  printf '== %s%s\n' "$*" "${KB_STARTED:+$(printf '  [%d:%02d]' $((seconds / 60)) $((seconds % 60)))}" >&2
}

# missing_packages [PACKAGE ...]: those of cmake/packages.txt, or the named ones, that are not installed.
missing_packages() {
  local package
  while read -r package _; do
    case "$package" in '' | '#'*) continue ;; esac
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      echo "$package"
    fi
  done < <(if [ "$#" -eq 0 ]; then cat "$root/cmake/packages.txt"; else printf '%s\n' "$@"; fi)
}

# ensure_packages yes|ask [PACKAGE ...]: installs what cmake/packages.txt lists, or the named ones, and is not there.
ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system: the packages of cmake/packages.txt must be installed by hand"
    return 0
  fi
  local consent="$1" missing as_root=()
  shift
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -eq 0 ] && return 0
  say "these Debian packages are needed and not installed:"
  printf '     %s\n' "${missing[@]}" >&2
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "installing them needs root and there is no sudo; run as root: apt-get install ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  if [ "$consent" = ask ]; then
    if [ ! -t 0 ]; then
      say "nobody can be asked here; repeat with --yes to install them"
      return 1
    fi
    local answer
    read -r -p "   Install them now? [Y/n] " answer
    case "$answer" in '' | y | Y | yes | Yes) ;; *) return 1 ;; esac
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update >&2 || say "the package lists could not be updated; trying with the old ones"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2
}

# build_preset PRESET [ninja arguments]: configures when needed and builds; prints the output only when it fails.
build_preset() {
  local preset="$1" folder="$root/build/$1"
  shift
  mkdir -p "$folder"
  if [ ! -f "$folder/build.ninja" ]; then
    say "configuring the $preset build"
    if ! (cd "$root" && cmake --preset "$preset") >"$folder/configure.log" 2>&1; then
      cat "$folder/configure.log" >&2
      rm -f "$folder/CMakeCache.txt"
      return 1
    fi
  fi
  [ -f "$folder/.ninja_log" ] || say "the first build takes minutes: 5 to 10 on 2 cores for ./run, as long again for ./test"
  if [ -t 2 ]; then
    say "building ($preset)"
    ninja -C "$folder" -j "$jobs" "$@" >&2
  else
    say "bringing the $preset build up to date, output in $folder/build.log"
    ninja -C "$folder" -j "$jobs" "$@" >"$folder/build.log" 2>&1 || { grep -v '^\[' "$folder/build.log" | tail -n 80 >&2; return 1; }
  fi
}

# run_tests PRESET [options of ctest]: what fails is carried out once more, so that a long output ends with it and shows
# whether it fails every time. A failure stays one.
run_tests() {
  local folder="$root/build/$1" code=0
  shift
  ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$test_jobs" "$@" || code=$?
  [ "$code" -eq 0 ] && return 0
  if [ -f "$folder/Testing/Temporary/LastTestsFailed.log" ]; then
    say "once more what failed:"
    ctest --test-dir "$folder" --output-on-failure --rerun-failed -j 1 || true
  fi
  return "$code"
}

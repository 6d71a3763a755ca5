#!/usr/bin/env bash
# Both README commands on a Debian that has nothing: no compiler, no tool, no library. Needs root and debootstrap.
#   bare_machine.sh bookworm|trixie FOLDER [options of ctest]   lays the system into FOLDER/system, and the last commit
#                                                               in it; then both commands (readme_commands.sh)
#   bare_machine.sh kernbench FOLDER ARGUMENT...                runs the program that was built there, in the folder of
#                                                               the caller, for tests/compare_builds.sh
# FOLDER/kernbench is a command for the second. FOLDER/ccache keeps what was compiled for the next time.
# Environment: MIRROR (of Debian), KB_JOBS (compilers and tests at once).
set -euo pipefail
mirror="${MIRROR:-http://deb.debian.org/debian}"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
usage() { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
say() { printf '== %s  [%(%H:%M:%S)T]\n' "$*" -1; }
fail() { echo "bare_machine.sh: $*" >&2; exit 1; }

# enter COMMAND ARGUMENT...: runs it in the system, in name spaces that take the mounts and the processes with them.
enter() {
  unshare --mount --pid --fork --kill-child -- bash -c '
    set -e
    system="$1" ccache="$2"
    shift 2
    mount -t proc proc "$system/proc"
    mount --bind -o ro "$system/proc/sys" "$system/proc/sys"  # packages set values of the kernel, which is that of the caller
    mount -t tmpfs -o mode=755 dev "$system/dev"
    mkdir "$system/dev/pts" "$system/dev/shm"
    while read -r name minor; do mknod -m 666 "$system/dev/$name" c 1 "$minor"; done \
      <<<$'"'null 3\nzero 5\nfull 7\nrandom 8\nurandom 9'"'
    mknod -m 666 "$system/dev/tty" c 5 0
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$system/dev/pts"
    mount -t tmpfs shm "$system/dev/shm"
    ln -s pts/ptmx "$system/dev/ptmx"
    ln -s /proc/self/fd "$system/dev/fd"
    for stream in 0:stdin 1:stdout 2:stderr; do ln -s "fd/${stream%:*}" "$system/dev/${stream#*:}"; done
    mkdir -p "$system/root/.cache/ccache"
    mount --bind "$ccache" "$system/root/.cache/ccache"
    for folder in $SEEN; do
      mkdir -p "$system$folder"
      mount --bind "$folder" "$system$folder"
    done
    exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
      ${KB_JOBS:+KB_JOBS="$KB_JOBS"} ${http_proxy:+http_proxy="$http_proxy"} chroot "$system" "$@"' bash "$folder/system" "$folder/ccache" "$@"
}

[ "$#" -ge 2 ] || usage
[ "$(id -u)" -eq 0 ] || fail "needs root, for chroot and mounts"
release="$1" folder="$(realpath -m "$2")"
shift 2
export SEEN=""
case "$release" in
  kernbench)
    [ -x "$folder/system/kernbench/build/release/bin/kernbench" ] || fail "no kernbench was built in $folder"
    SEEN="$root $PWD" enter sh -c 'cd "$0" && exec /kernbench/build/release/bin/kernbench "$@"' "$PWD" "$@"
    exit ;;
  bookworm | trixie) ;;
  *) usage ;;
esac
command -v debootstrap >/dev/null || fail "needs debootstrap: apt-get install debootstrap"
[ ! -e "$folder/system" ] || fail "$folder/system is there; remove it, so that the machine has nothing"
mkdir -p "$folder/ccache"
say "a bare Debian $release in $folder/system"
debootstrap --variant=minbase "$release" "$folder/system" "$mirror" >"$folder/debootstrap.log" || {
  tail -n 5 "$folder/debootstrap.log"
  exit 1
}
cp -L /etc/resolv.conf "$folder/system/etc/resolv.conf"
git clone --quiet --depth 1 "file://$root" "$folder/system/kernbench"
printf '#!/bin/sh\nexec "%s" kernbench "%s" "$@"\n' "$root/tests/bare_machine.sh" "$folder" >"$folder/kernbench"
chmod +x "$folder/kernbench"
say "./run --yes"
enter /kernbench/tests/readme_commands.sh run 2>&1 | tee "$folder/run.log"
say "./test --yes $*"
enter /kernbench/tests/readme_commands.sh test "$@" 2>&1 | tee "$folder/test.log"
say "both README commands work on a bare Debian $release"

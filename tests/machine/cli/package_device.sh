#!/usr/bin/env bash
# The installed device in programs that others have: by CMake and by pkg-config, with folders named as ours, in a path
# with a blank, and with what does not go together.
#   package_device.sh CMAKE PREFIX SOURCE_FOLDER CXX WORK_FOLDER
set -euo pipefail
cmake="$1" prefix="$2" source="$3" cxx="$4" work="$5"
fail() { echo "package_device.sh: $*"; exit 1; }
mkdir -p "$work"
cd "$work"
library="$prefix/lib/libkernbench_device.so"
machine="$prefix/share/kernbench/configs/one_pe.yaml"

shown="$(nm -D --defined-only "$library" | wc -l)"
[ "$shown" -lt 300 ] || fail "libkernbench_device.so shows $shown symbols"
! nm -D --defined-only "$library" | grep -qiE 'fst|lz4|verilat' || fail "libkernbench_device.so shows libraries of others"

# The archives have no name of a library that a program may have, too.
for archive in "$prefix"/lib/kernbench/*.a; do
  ! nm -g --defined-only "$archive" 2>/dev/null | awk '{print $3}' | grep -E '^(_ZL?[0-9]*)?(fst(Reader|Writer|Utility)|LZ4_|fastlz_|Jenkins)' ||
    fail "$(basename "$archive") has names of GTKWave's library"
done

# "0.5", and the next minor version, which the package does not take.
version="$(sed -n 's/.*KERNBENCH_VERSION "\([0-9]*\.[0-9]*\)\..*/\1/p' "$prefix/include/kernbench/version.h")"
[ -n "$version" ] || fail "kernbench/version.h has no version"
next="${version%.*}.$((${version#*.} + 1))"

# A program with folders of our names, before and behind the package on its path.
mkdir -p host/modules/bridge host/platform/base
echo '#error "this is the header of the host"' | tee host/modules/bridge/error_cause.h host/platform/base/ids.h >/dev/null
cp "$source/examples/embedding/minimal.cpp" host/minimal.cpp
project() { # VERSION COMPONENTS LIBRARIES
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(host LANGUAGES CXX)' "find_package(kernbench $1 REQUIRED COMPONENTS $2)" \
    'add_executable(host minimal.cpp)' 'target_include_directories(host BEFORE PRIVATE .)' "target_link_libraries(host PRIVATE $3)" >host/CMakeLists.txt
}
configure() { rm -rf built; "$cmake" -S host -B built -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" >log 2>&1; }
refused() { # TEXT: CMake refuses the project with this text
  ! configure || fail "CMake accepts what it should refuse with '$1'"
  tr -s ' \n' ' ' <log | grep -qF "$1" || { cat log; fail "CMake does not say '$1'"; }
}
project "$version" device kernbench::device
configure || { cat log; fail "find_package(kernbench $version) fails"; }
"$cmake" --build built >log 2>&1 || { cat log; fail "a host with folders of our names does not build"; }
built/host "$machine" >log || { cat log; fail "a host with folders of our names does not run"; }
! grep -qE -- '-ffp-contract|-fno-semantic|SC_ALLOW_DEPRECATED' built/build.ninja || fail "the package gives a host flags of its own"
project "$next" device kernbench::device
refused "Could not find a configuration file for package \"kernbench\" that is compatible with requested version \"$next\""
project "$version" 'device device_static' 'kernbench::device kernbench::device_static'
refused 'KERNBENCH_LIBRARIES'
if grep -q 'kernbench_RTL ON' "$prefix/lib/cmake/kernbench/kernbenchConfig.cmake"; then
  project "$version" device_static kernbench::device_static
  sed -i 's/^find_package(kernbench/set(verilator_VERSION 4.038)\n&/' host/CMakeLists.txt
  refused 'but this program uses 4.038; use kernbench::device'
fi
mkdir -p other
printf '%s\n' 'Name: systemc' 'Description: another release' 'Version: 2.3.3' 'Libs:' 'Cflags:' >other/systemc.pc
project "$version" device kernbench::device
export PKG_CONFIG_PATH="$work/other"
refused 'but this program uses 2.3.3; a simulation has one SystemC'
# CMake's own package of SystemC, which a program may have found before.
release="$(sed -n 's/^set(kernbench_SYSTEMC_VERSION "\(.*\)").*/\1/p' "$prefix"/lib/cmake/kernbench/kernbenchConfig.cmake)"
sed -i "s|^find_package(kernbench.*|add_library(SystemC::systemc INTERFACE IMPORTED)\ntarget_link_libraries(SystemC::systemc INTERFACE systemc)\nset(SystemCLanguage_VERSION $release)\n&|" host/CMakeLists.txt
configure || { cat log; fail "find_package(kernbench) does not take SystemC::systemc"; }
"$cmake" --build built >log 2>&1 || { cat log; fail "a host with SystemC::systemc does not build"; }
unset PKG_CONFIG_PATH
# Without CMake.
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
eval "$cxx" -o by_pkg_config host/minimal.cpp $(pkg-config --cflags --libs kernbench-device) || fail "kernbench-device.pc does not build a program"
LD_LIBRARY_PATH="$prefix/lib" ./by_pkg_config "$machine" >log || { cat log; fail "a program by pkg-config does not run"; }
[ "$(pkg-config --modversion kernbench-device)" = "$(sed -n 's/.*KERNBENCH_VERSION "\(.*\)"/\1/p' "$prefix/include/kernbench/version.h")" ] ||
  fail "kernbench-device.pc and version.h have different versions"
for file in doc/kernbench/LICENSE doc/kernbench/NOTICE.md; do [ -s "$prefix/share/$file" ] || fail "share/$file was not installed"; done
echo "the package serves programs of others"

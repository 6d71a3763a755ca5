#!/usr/bin/env bash
# Installs the built tree, builds the example plug-ins against the installation and runs them.
#   package_test.sh CMAKE BUILD_FOLDER SOURCE_FOLDER CXX
# With dpkg-dev also the Debian package, with zsh its completion.
set -euo pipefail
cmake="$1" build="$2" source="$3" cxx="$4"
if "$cmake" -LA -N "$build" 2>/dev/null | grep '^KB_SANITIZE[A-Z_]*:BOOL=ON$' >/dev/null; then
  echo "a sanitized program loads only sanitized plug-ins"
  exit 77
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/elsewhere" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
prefix="$work/any prefix"
mv "$work/elsewhere" "$prefix"  # the package works from any place, one with a blank, too
kernbench="$prefix/bin/kernbench"

# build_example FOLDER_IN_EXAMPLES: builds it in $tree against the installation, without optimisation: what runs long is
# in the installed libraries.
build_example() {
  "$cmake" -S "$source/examples/$1" -B "$tree" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG"
  "$cmake" --build "$tree"
}
for built in "$build"/bin/sim_*; do
  installed="$prefix/bin/$(basename "$built")"
  [ -x "$installed" ] || { echo "$(basename "$built") was not installed"; exit 1; }
done
for file in bash-completion/completions/kernbench zsh/vendor-completions/_kernbench kernbench/schema/topology.schema.json \
    kernbench/schema/result.schema.json kernbench/schema/why.schema.json kernbench/schema/tornado.schema.json doc/kernbench/README.md; do
  [ -s "$prefix/share/$file" ] || { echo "share/$file was not installed"; exit 1; }
done
if command -v help2man >/dev/null; then
  for page in kernbench kernbench-run kernbench-schema; do
    [ -s "$prefix/share/man/man1/$page.1" ] || { echo "the man page $page.1 was not installed"; exit 1; }
  done
fi
if command -v zsh >/dev/null; then
  python3 "$source/tests/machine/cli/zsh_completion.py" "$prefix/share/zsh/vendor-completions" "$prefix/bin"
fi
if command -v dpkg-shlibdeps >/dev/null; then
  mkdir "$work/deb"
  (cd "$work/deb" && "${cmake%cmake}cpack" --config "$build/CPackConfig.cmake" -B "$work/deb" >log 2>&1) ||
    { cat "$work/deb/log"; exit 1; }
  package=("$work"/deb/kernbench_*.deb)
  [ -f "${package[0]}" ] || { echo "cpack made no package"; exit 1; }
  dpkg-deb --contents "${package[0]}" >"$work/deb/contents"
  files="bin/kernbench bin/sim_one_pe include/kernbench/sw/plugin/plugin.h share/kernbench/schema/topology.schema.json
    share/kernbench/schema/result.schema.json share/bash-completion/completions/kernbench
    share/zsh/vendor-completions/_kernbench share/doc/kernbench/README.md share/doc/kernbench/docs/guides/kernels.md"
  if command -v help2man >/dev/null; then files="$files share/man/man1/kernbench.1 share/man/man1/kernbench-run.1"; fi
  for file in $files; do
    grep -q "^-.* [1-9][0-9]* .* \./usr/$file\$" "$work/deb/contents" || { echo "the package has no usr/$file"; exit 1; }
  done
  grep -q "/kernbench/libkernbench_http\.so\$" "$work/deb/contents" || { echo "the package has no server of the page"; exit 1; }
  for library in libc6 libmicrohttpd; do
    dpkg-deb --field "${package[0]}" Depends | grep -q $library || { echo "the package does not depend on $library"; exit 1; }
  done
  mkdir "$work/deb/root"
  dpkg-deb --extract "${package[0]}" "$work/deb/root"
  "$work/deb/root/usr/bin/kernbench" run --bench noop --quiet --out "$work/deb/out"
  grep -q '"ok": true' "$work/deb/out/result.json"
  rm -r "$work/deb"
fi
# The server of the page is a library that the program finds wherever it was moved to.
"$kernbench" run --bench noop --quiet --out "$work/run"
"$kernbench" web "$work/run" --port 0 --no-open >"$work/web" & server=$!
until grep -q Ctrl-C "$work/web" || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
kill -TERM $server || true
wait $server || { echo "the installed kernbench web does not serve"; exit 1; }
"$prefix/bin/sim_one_pe" --bench noop --quiet --out "$work/sim"
grep -q '"ok": true' "$work/sim/result.json"
workloads() { "$kernbench" list --json "$@" | grep -o '"index": [0-9]*' | wc -l; }
names() { "$kernbench" list "$@" | sed -n 's/^ *[0-9][0-9]*  \([a-z][a-z0-9-]*\)  .*/\1/p' | sort; }
# Blocks of a plug-in, in single places of a machine.
tree="$work/blocks"
build_example blocks
"${cmake%cmake}ctest" --test-dir "$tree" --output-on-failure
cd "$tree"
machine="$source/examples/blocks/machine.yaml"
"$kernbench" check --plugin ./libblocks.so "$machine"
"$kernbench" run --plugin ./libblocks.so --topology "$machine" --bench ccl-allreduce --verify-data --out out
for statistic in row_hits row_misses; do
  grep -q "\"$statistic\"" out/result.json || { echo "the blocks report no $statistic"; exit 1; }
done
"$kernbench" topology --plugin ./libblocks.so "$machine" --json >machine.json
grep -q '"impl":"custom.table_math"' machine.json
# Resources that a block declares: statistics by cause, and the first finding.
"$kernbench" run --plugin ./libblocks.so --topology "$source/examples/blocks/banked.yaml" --bench gemm-multi-pe --record banked \
  --wave banks.vcd --wave-filter '*.bank*' --log 'sip0.cube0.hbm_ctrl.pe0:debug' --log-file banks.log >banked.txt
grep -q '^  1 .*the bank of custom.banked_memory: their bank served another access' banked.txt || {
  cat banked.txt; echo "the first finding is not that banks are busy"; exit 1; }
grep -q '"bank.wait.row"' banked/result.json || { echo "the blocks report no waits by cause"; exit 1; }
grep -q ' bank15_cause ' banks.vcd || { echo "the banks are no signals"; exit 1; }
grep -q 'hbm_ctrl.pe0 keeps bank0 busy from .* for 256 B that waited .*(row)' banks.log || { echo "the log has no uses"; exit 1; }
grep -qa bank15 banked/ops.sqlite || { echo "the banks are no recorded series"; exit 1; }
"$kernbench" run --plugin ./libblocks.so --topology "$source/examples/blocks/starved.yaml" --bench vector-add --set memory=hbm,hbm,sram \
  --out starved >starved.txt
grep -q '^  1 .*the grant of custom.fixed_priority' starved.txt && grep -q 'overtook them (priority)' starved.txt || {
  cat starved.txt; echo "the arbiter is not named"; exit 1; }
for file in one_cube all_math; do
  "$kernbench" check --plugin ./libblocks.so "$source/examples/blocks/$file.yaml"
  "$kernbench" run --plugin ./libblocks.so --topology "$source/examples/blocks/$file.yaml" --bench ccl-allreduce --verify-data --out "$file"
done

# An engine of a plug-in with its commands: docs/guides/new-engine.md.
tree="$work/engines"
build_example engines
cd "$tree"
machine="$source/examples/engines/machine.yaml"
"$kernbench" check --plugin ./libengines.so "$machine"
"$kernbench" run --plugin ./libengines.so --topology "$machine" --bench transpose --data eager --verify-data --out out
grep -q '"transpose_ns": 1536' out/result.json || { echo "PE_TRANSPOSE does not compute for 1536 ns"; exit 1; }

# RTL of a user, where Verilator is there: the commands of docs/guides/rtl.md.
if grep -rq 'kernbench_RTL ON' --include=kernbenchConfig.cmake "$prefix"; then
  tree="$work/rtl"
  build_example rtl
  cd "$tree"
  "$kernbench" check --plugin ./librtl.so "$source/examples/rtl/own_machine.yaml"
  "$kernbench" run --plugin ./librtl.so --topology "$source/examples/rtl/own_machine.yaml" --bench gemm-multi-pe --set dtype=i8 \
    --data eager --verify-data --json --details >detailed.json
  # A PE computes 8 x 256 x 128 twice: each time 16 blocks of 256 + 22 cycles, or of 256 + 8 on the array of the example.
  for cycles in 8896 8448; do
    grep -q "\"rtl_cycles\": {\"value\": $cycles," detailed.json || { echo "no array takes $cycles cycles"; exit 1; }
  done
fi

# The machine in programs of one's own.
tree="$work/embedding"
build_example embedding
"${cmake%cmake}ctest" --test-dir "$tree" --output-on-failure
"$source/tests/machine/cli/package_device.sh" "$cmake" "$prefix" "$source" "$cxx" "$work/device"
! ldd "$tree/own_kernel" | grep -q jemalloc || { echo "an embedding program gets an allocator that it did not ask for"; exit 1; }

# A program that is Verilated, with waveforms of its own: four interrupts in its file, four rounds in ours.
if [ -x "$build/tests/machine/cli/fst_text" ]; then
  tree="$work/verilated_host"
  build_example verilated_host
  "${cmake%cmake}ctest" --test-dir "$tree" --output-on-failure
  for folder in "$tree"/device*.*.*; do
    interrupts="$("$build/tests/machine/cli/fst_text" "$folder/soc.fst" | grep -c 'timer.irq 1$')"
    requests="$("$build/tests/machine/cli/fst_text" "$folder/npu.fst" | grep -c 'cpu0.outstanding \[15:0\] 0*1$')"
    [ "$interrupts $requests" = "4 4" ] || { echo "$folder: $interrupts interrupts, $requests rounds"; exit 1; }
  done
fi

# The machine in a process of its own, with the Python client: docs/guides/remote.md.
if command -v python3 >/dev/null; then
  "$kernbench" serve --remote-port "unix:$work/kb.sock" --topology "$source/configs/one_pe.yaml" --wave "$work/serve.vcd" \
    --wave-detail flit --wave-until-ns 2000 --gtkw "$work/serve.gtkw" >"$work/serve.log" 2>&1 &
  server=$!
  for _ in $(seq 200); do if [ -S "$work/kb.sock" ]; then break; fi; sleep 0.05; done
  wheel=("$prefix"/share/kernbench/python/kernbench-*-py3-none-any.whl)
  PYTHONPATH="${wheel[0]}" python3 "$source/examples/remote/test_bench.py" "$work/kb.sock" | tee "$work/bench.log"
  wait "$server" || { cat "$work/serve.log"; exit 1; }
  grep -q 'the product is right' "$work/bench.log"
  grep -q '1 launches' "$work/serve.log"
  grep -q '^#2000000000$' "$work/serve.vcd" || { echo "the waveform of serve does not end at 2000 ns"; exit 1; }
  grep -q 'txn\[31:0\]' "$work/serve.gtkw" || { echo "the save file of serve shows no flits"; exit 1; }
fi

for example in plugin messages tensor_parallel tutorial kernels/fused_mlp; do
  tree="$work/$example"
  build_example "$example"
  plugin="$(find "$tree" -name '*.so' | head -n 1)"
  [ -n "$plugin" ] || { echo "the example built no shared library"; exit 1; }
  [ "$(workloads --plugin "$plugin")" -gt "$(workloads)" ] || { echo "the plug-in added no workload"; exit 1; }
  cd "$tree"
  if [ -f "$source/examples/$example/ccl.yaml" ]; then cp "$source/examples/$example/ccl.yaml" .; fi
  names --plugin "$plugin" >with
  names >without
  comm -23 with without | while read -r workload; do
    echo "running $workload"
    "$kernbench" run --plugin "$plugin" --bench "$workload" --verify-data --out "$tree/out"
    grep -q '"ok": true' "$tree/out/result.json"
  done
done

// Texts of --help with examples.
#pragma once

namespace kb::cli {

inline constexpr const char* kOverview =
    "kernbench simulates a multi-die AI accelerator: how long does a kernel take, and is its result right?";

inline constexpr const char* kOverviewFooter =
    "Examples:\n"
    "  kernbench run                                        the default workload on the built-in machine\n"
    "  kernbench run --bench vector-add --verify-data       compute the data too and check it\n"
    "  kernbench list                                       what can be run\n"
    "  kernbench topology configs/reference.yaml            what the machine looks like\n"
    "  kernbench evaluate gemm                              measure over many runs, with figures\n"
    "'kernbench COMMAND --help' explains one command.\n"
    "\n"
    "Exit codes: 0 success, 1 workload or verification failed, 2 wrong usage or configuration,\n"
    "3 defect of the simulator, 4 no progress (deadlock or a time limit), 130 interrupted.";

inline constexpr const char* kRunFooter =
    "Examples:\n"
    "  kernbench run\n"
    "  kernbench run --topology my.yaml --bench gemm-multi-pe --verify-data\n"
    "  kernbench run --bench gemm-single-pe --set m=512 --set k=512 --set n=512\n"
    "  kernbench run --set cube.links.pe_to_router_bw_gbs=128    a name with a dot is a topology key\n"
    "  kernbench run --bench copy --wave copy.vcd --wave-filter 'sip0.cube0.*'\n"
    "  kernbench run --bench copy --log 'sip0.cube0.pe0.*'       what these blocks do\n"
    "  kernbench run --plugin ./libmy_kernels.so --bench my-workload\n"
    "  kernbench run --json > result.json                        only JSON on standard output\n"
    "\n"
    "'kernbench run --bench NAME --help' shows the parameters of one workload; --set name=value comes first, then\n"
    "the environment, then the default.\n"
    "Data modes: off = times only; replay = compute after the run; eager = compute as operations complete.\n"
    "Without --out the result goes to results/result.json (with --json alone no file is written).";

inline constexpr const char* kWhyFooter =
    "Examples:\n"
    "  kernbench run --out r && kernbench why r             the five worst causes, and what each costs\n"
    "  kernbench why r --top 10                             goes on; runs that are known are not made again\n"
    "  kernbench run --why --bench flash-attention          the same for a run that comes now\n"
    "  kernbench why run --bench flash-attention            likewise\n"
    "  kernbench why r --budget 60                          what a minute finds; the same command goes on\n"
    "  kernbench why r --machine                            each key of the machine changed alone: r/why/tornado.svg\n"
    "\n"
    "Each step takes one cause away from the machine and runs again, so that a gain is measured and not estimated:\n";
// The families of reliefs stand between these texts.
inline constexpr const char* kWhyEnd =
    "Routes, algorithms and tiles stay those of the run (--pins), because a faster wire would also draw other "
    "traffic.\n"
    "What you can change (parameters, the hash of the channels) is measured without pins. The command behind each "
    "step\n"
    "gives its time again, to the femtosecond. RUN_DIR/why has why.json and the runs that were made.";

inline constexpr const char* kSimulationFooter =
    "This program is a simulation of one machine; its topology is built in.\n"
    "--set changes single keys of it (a name with a dot) or parameters of the workload.";

inline constexpr const char* kTopologyFooter =
    "Examples:\n"
    "  kernbench topology configs/reference.yaml\n"
    "  kernbench topology my.yaml --json | jq '.nodes[].id'\n"
    "  kernbench topology my.yaml --dot | dot -Tsvg > machine.svg\n"
    "  kernbench topology my.yaml --svg pictures                    four drawings, one for each level of the machine\n"
    "  kernbench topology my.yaml --set system.sips.count=4 --emit-mesh mesh.yaml";

inline constexpr const char* kCompareFooter =
    "Examples:\n"
    "  kernbench run --bench matmul-composite --out a\n"
    "  kernbench run --bench matmul-composite --set tile_m=32 --set tile_k=32 --set tile_n=128 --out b\n"
    "  kernbench compare a b                                what B - A is made of\n"
    "  kernbench compare a b --json | jq '.parts[]'\n"
    "  kernbench compare a.json b.json                      two files of kernbench model step --out\n"
    "Launches of one kernel on one SIP are compared in their order.";

inline constexpr const char* kConvertFooter =
    "Examples:\n"
    "  kernbench convert r --perfetto r.pftrace             after kernbench run --record r\n"
    "  kernbench convert r --perfetto r.pftrace --wires     with every wire: a larger file\n"
    "  kernbench convert r --perfetto r.pftrace.gz          packed\n"
    "\n"
    "Open it in https://ui.perfetto.dev, which reads it in the browser, or query it with trace_processor.";

inline constexpr const char* kReportFooter =
    "Examples:\n"
    "  kernbench run --record r && kernbench report r       r/report.html\n"
    "  kernbench report r -o gemm.html\n"
    "  kernbench report better --against r                  with what changed from r to better\n"
    "\n"
    "The file is the page of kernbench web with its answers inside; it needs no network and no other file. Zooming "
    "the\n"
    "timeline and searching operations need kernbench web. Without ops.sqlite in RUN_DIR it has no PEs, wires and "
    "memory;\n"
    "without topology.json no picture of the machine and no roofline.";

inline constexpr const char* kWebFooter =
    "Examples:\n"
    "  kernbench web                                        the run in results\n"
    "  kernbench web r --port 0 --no-open                   any free port, and only the address\n"
    "  kernbench run --record r                             a run with a timeline\n"
    "  kernbench web better --against r                     what changed from r to better\n"
    "  kernbench web runs                                   all runs below a folder: list, search, compare two\n"
    "  kernbench web sweeps/tiles                           a sweep: table, figures, Pareto front, heat maps\n"
    "  kernbench web served                                 requests: kernbench model requests --out served\n"
    "  kernbench web step.json --against before.json        steps: kernbench model step --out step.json\n"
    "  kernbench web my.yaml                                a machine without a run\n"
    "\n"
    "The page is for this user on this computer: the server listens on 127.0.0.1 alone, and the address has a secret.\n"
    "Another computer's run: ssh -L 8765:127.0.0.1:8765 HOST, kernbench web there, and the address in a browser here.\n"
    "A folder is a run's when it has result.json, a sweep's when it has points.csv or journal; only files below it are "
    "read.\n"
    "Without ops.sqlite a run has no timeline. Ctrl-C ends the server.";

inline constexpr const char* kServeFooter =
    "Examples:\n"
    "  kernbench serve --remote-port unix:kb.sock           the reference machine, for one peer\n"
    "  python3 examples/remote/test_bench.py kb.sock        a test bench that connects to it\n"
    "  kernbench serve --remote-port tcp:5555 --sessions 3  three peers one after the other, from this machine\n"
    "  kernbench serve --remote-port unix:kb.sock --out r   then: kernbench report r, kernbench web r\n"
    "  kernbench serve --remote-port tcp:0.0.0.0:5555 --token-file secret    from others, who have to say its line "
    "first\n"
    "\n"
    "The peer speaks Remote-Port 4.3 (QEMU of Xilinx, libsystemctlm-soc). Devices in its packets: 0 memory by "
    "physical\n"
    "address, 1 registers, 2 the interrupt, 3 host memory, which the machine asks for. What happens depends on the\n"
    "packets and their stamps alone. A session ends when the peer closes the connection; time goes on in the next "
    "one.\n"
    "A second peer meanwhile gets a line that says so.";

inline constexpr const char* kCheckFooter =
    "Examples:\n"
    "  kernbench check configs/*.yaml\n"
    "  kernbench check my.yaml --set system.sips.count=6    as a run with this --set would see it\n"
    "  kernbench check ccl.yaml --plugin ./libmy_ring.so    with an all-reduce of one's own\n"
    "  kernbench check --plugin ./libmy_kernels.so          loads it, and says what it brings\n"
    "  kernbench check --dram-trace commands.gz --json      commands of memory channels against their standard\n"
    "Every problem of every file is printed with file, line and key; exit code 2 when there is one. Commands that "
    "break "
    "a\n"
    "constraint: the first ones with line, rule, needed and seen ticks; exit code 1.";

inline constexpr const char* kSchemaFooter =
    "Examples:\n"
    "  kernbench schema topology > topology.schema.json     for editors that check and complete YAML\n"
    "  kernbench schema topology --plugin ./libblocks.so    with the attributes of a plug-in's blocks\n"
    "  kernbench schema result                              of result.json\n"
    "  kernbench schema why                                 of why.json\n"
    "  kernbench schema tornado                             of tornado.json\n"
    "\n"
    "An editor with the YAML language server reads the schema that the first line of a file names:\n"
    "  # yaml-language-server: $schema=topology.schema.json\n"
    "What ties several keys to each other is not in the schema; 'kernbench check FILE' finds that, too.";

inline constexpr const char* kCompletionFooter =
    "Examples:\n"
    "  source <(kernbench completion bash)                  for this shell; in ~/.bashrc for every one\n"
    "  source <(kernbench completion zsh)                   the same for zsh";

inline constexpr const char* kListFooter =
    "Examples:\n"
    "  kernbench list\n"
    "  kernbench list gemm-single-pe                        one workload with its parameters\n"
    "  kernbench list models                                the language models of 'kernbench model'\n"
    "  kernbench list --plugin ./libmy_kernels.so\n"
    "  kernbench list --json                                everything, also the parameters of all";

inline constexpr const char* kModelFooter =
    "Examples:\n"
    "  kernbench model show llama-3.1-8b                    parameters, memory and roofline on the reference machine\n"
    "  kernbench model show --help                          plans, batches, machines\n"
    "  kernbench model step llama-3.1-70b --tp 8            its time per token, simulated, launch by launch\n"
    "  kernbench model requests trace.jsonl --profile perf/bf16 --model llama-3.1-8b --blocks 2588\n"
    "  kernbench model requests trace.jsonl --topology reference --model llama-3.1-8b --store times\n"
    "  kernbench model profile llama-3.1-8b --out perf/bf16 --store times\n"
    "  kernbench model lookups batches.csv --profile perf/bf16 --model config.json\n"
    "  kernbench model memo times                           what --store times has kept\n"
    "\n"
    "A model is the config.json of a Hugging Face model: Llama 2 and 3, Mistral, Mixtral, Qwen2, Qwen3, Qwen3-MoE or\n"
    "DeepSeek-V3. 'kernbench list models' names those that come with kernbench; weights are not needed.";

inline constexpr const char* kModelShowFooter =
    "Examples:\n"
    "  kernbench model show llama-3.1-70b --tp 8            a decode step of one sequence with 4096 tokens\n"
    "  kernbench model show llama-3.1-70b --tp 8 --batch 32x1024,1x64\n"
    "  kernbench model show qwen3-32b --tp 4 --phase prefill --tokens 2048 --topology modern\n"
    "  kernbench model show deepseek-v3 --tp 4 --dp 2 --ep 8\n"
    "  kernbench model show Llama-3.1-8B/config.json --weights Llama-3.1-8B/model.safetensors\n"
    "  kernbench model show llama-3.1-8b --json | jq .roofline_ns\n"
    "\n"
    "The least time of an operation is the longest of what its bytes take in HBM, its products and elements in the\n"
    "engines, and what it sends takes on the link to other SIPs. No run is as fast; it is what to compare runs with.\n"
    "SIPs = tp x pp x dp. Nothing is simulated.";

inline constexpr const char* kModelStepFooter =
    "Examples:\n"
    "  kernbench model step llama-3.1-70b --tp 8                     a token of one sequence with 4096 tokens\n"
    "  kernbench model step llama-3.1-70b --tp 8 --batch 32x1024 --store times\n"
    "  kernbench model step llama-3.1-8b --phase prefill --tokens 512 --json\n"
    "  kernbench model step qwen3-32b --tp 4 --out a.json\n"
    "  kernbench model step qwen3-32b --tp 4 --set cube.links.ucie_link_bw_gbs=256 --out b.json\n"
    "  kernbench compare a.json b.json                               what another machine brings, and where\n"
    "  kernbench model step llama-3.1-8b --launches                  what is launched, with shapes and places\n"
    "  kernbench model step llama-3.1-8b --record layer              operations of a layer, for 'kernbench web layer'\n"
    "\n"
    "Launches follow each other on each SIP; layers whose tensors lie alike, and SIPs, take equal times, so that each\n"
    "distinct launch is simulated once, from a quiet machine, and the step is the exact sum. --memo off simulates all "
    "of\n"
    "it in one run, which takes as many times longer as there are layers and SIPs. Contents are not computed.";

inline constexpr const char* kModelVerifyFooter =
    "Examples:\n"
    "  kernbench model verify tiny/config.json --topology one_cube\n"
    "  kernbench model verify tiny --weights tiny/model.safetensors --tp 2 --dtype f16\n"
    "  kernbench model verify tiny --weights tiny/model.safetensors --golden tiny/golden.json --json\n"
    "\n"
    "Computes a prompt, decodes greedily, and compares logits, tokens, keys and values with a reference in double on\n"
    "the host; the prompt in chunks and a mixed batch as well. Exit code 1 when a check fails.";

inline constexpr const char* kTrafficFooter =
    "Examples:\n"
    "  kernbench traffic --trace trace.csv\n"
    "  kernbench traffic --topology my.yaml --trace trace.csv --json\n"
    "  kernbench traffic --trace trace.csv --wave trace.fst --gtkw trace.gtkw\n"
    "  kernbench traffic --trace example.stl --clock-mhz 1000 --src sip0.cube0.pe3    of DRAMSys\n"
    "  kernbench traffic --trace loads.txt --format ramulator --bytes 64              of Ramulator\n"
    "\n"
    "Lines of DRAMSys: '31: read 0x400140', with a length '31: (64) write 0x400140'; in files that end in .rstl each\n"
    "cycle counts from the line before. Lines of Ramulator: 'LD 0x12340', 'ST 4096'.\n"
    "Else the trace is CSV with the header line id,issue_ns,op,src,dst,bytes; '#' starts a comment line.\n"
    "  id        unique word or number\n"
    "  issue_ns  when the transaction is issued, up to six decimals\n"
    "  op        pe_read, pe_write, host_read or host_write\n"
    "  src       a PE (sip0.cube0.pe0) for PE rows, host for host rows\n"
    "  dst       physical address in hexadecimal (0x...), inside one HBM slice, SRAM or TCM\n"
    "  bytes     at least 1";

inline constexpr const char* kSweepFooter =
    "A sweep file (docs/guides/sweep.md has all keys):\n"
    "  workload: matmul-composite               as of 'kernbench run --bench'\n"
    "  topology: configs/one_sip.yaml           names of files are relative to the sweep file\n"
    "  set: {m: 512}                            parameters of every point; machine: {...} has keys of the topology\n"
    "  axes:\n"
    "    tile: {set: tile_m, values: [16, 32, 64]}\n"
    "    ucie_gbs: {machine: cube.links.ucie_link_bw_gbs, values: [128, 256, 512]}\n"
    "  columns:\n"
    "    time_ns: max /launches/*/pe_exec_ns/max    a place in result.json\n"
    "    per_tile: time_ns / tile                   or a formula\n"
    "  limits: {time: 60 s, memory: 2 GB}       of one point\n"
    "  plots: [{x: tile, y: time_ns, series: ucie_gbs}]\n"
    "\n"
    "Examples:\n"
    "  kernbench sweep tiles.yaml --dry-run                 check, count\n"
    "  kernbench sweep tiles.yaml --plot                    run what is missing, table, figures\n"
    "  kernbench sweep tiles.yaml --collect                 table of what is done so far\n"
    "  kernbench sweep tiles.yaml --on slurm --slurm=--partition=long\n"
    "  kernbench sweep tiles.yaml --on parallel --hosts node1,node2\n"
    "\n"
    "DIR/points.csv and DIR/points.sqlite have a row per point; one that fails has its cause there. Killed at any\n"
    "moment, the same command goes on; only points under way are lost. A changed file keeps the points it shares.\n"
    "Exit code 0 when a point has succeeded and none is missing, 1 otherwise, 2 when the file is wrong.";

inline constexpr const char* kEvaluateFooter =
    "Examples:\n"
    "  kernbench evaluate gemm\n"
    "  kernbench evaluate gemm --topology my.yaml --out figures/my\n"
    "  kernbench evaluate gemm --set cube.pe_template.components.pe_gemm.attrs.mac_per_ns=8192\n"
    "  kernbench evaluate gemm --fast                 draw again, without simulating\n"
    "  kernbench evaluate gemm --copy my_gemm         a copy to change: kernbench evaluate my_gemm runs it\n"
    "\n"
    "Every point is a run of its own. After an interruption the same command goes on where it stopped.\n"
    "Exit code 1 when a check fails; the message names the rule. Figures need gnuplot.\n"
    "docs/guides/evaluation.md shows how to write one: sweep files, SQL and gnuplot scripts in a folder.";

inline constexpr const char* kModelRequestsFooter =
    "Examples:\n"
    "  kernbench model requests trace.jsonl --profile perf/bf16 --model config.json --blocks 2588 --prefix-cache\n"
    "  kernbench model requests azure.csv.gz --profile perf/bf16 --model config.json --cluster cluster.json --out r\n"
    "  kernbench model requests trace.jsonl --profile p --model config.json --blocks 2588 --sweep-rate 0.5:8:9 --out s "
    "--plot\n"
    "  kernbench model requests trace.jsonl --topology reference --model llama-3.1-8b --store times --check 20\n"
    "\n"
    "Times of steps come from the tables of a profile, or from the launches of a simulated machine: those that the "
    "trace\n"
    "needs are simulated once and kept in --store. Requests are scheduled as vLLM V1 does.\n"
    "requests.csv has a row per request with LLMServingSim's columns (ns), timeline.csv one per second, rates.csv one "
    "per\n"
    "rate. docs/guides/serving.md shows how to read them.";

inline constexpr const char* kModelProfileFooter =
    "Examples:\n"
    "  kernbench model profile llama-3.1-8b --topology modern --out perf/bf16 --store times\n"
    "  kernbench model profile llama-3.1-8b --trace trace.jsonl --out perf/bf16 --store times\n"
    "  kernbench model profile tiny/config.json --topology one_cube --out p --max-tokens 128 --max-seqs 8 "
    "--max-context "
    "512\n"
    "\n"
    "Every distinct launch of a grid of steps is simulated once. What --store has is not simulated again, so that a "
    "call\n"
    "that was ended goes on. The folder has LLMServingSim's layout: meta.yaml, tp1/dense.csv, per_sequence.csv,\n"
    "attention.csv, with times of one layer in us. 'kernbench model requests --profile' reads it, too.";

inline constexpr const char* kModelMemoFooter =
    "Examples:\n"
    "  kernbench model memo times                           what is in the folder of --store times\n"
    "  kernbench model memo times --merge a/times b/times   add what other stores have; these stay\n"
    "  kernbench model memo times --prune 512MiB            remove what has not been used for the longest time\n"
    "  kernbench model memo times --stat --json | jq .versions\n"
    "\n"
    "--store of 'model step', 'requests' and 'profile' keeps the time of every launch that was simulated. A time "
    "counts\n"
    "as long as the sources that decide times, the machine and the plug-ins are the same: a new build whose kernels,\n"
    "blocks and lowering have not changed finds everything. 'this program' marks the times that this one can use.\n"
    "--prune removes those of other versions first; files of programs that are running stay. --merge compares: a "
    "launch\n"
    "with two times is a fault of kernbench, exit code 3.";

inline constexpr const char* kModelLookupsFooter =
    "Examples:\n"
    "  kernbench model lookups batches.csv --profile perf/bf16 --model config.json\n"
    "\n"
    "Batches: a row has the columns prefills_new@past and decode_kv, '700@0 100@512' and '1200 3400': new tokens of "
    "each\n"
    "prefill and its past, contexts of the decodes. Single look-ups: kind (dense, per_sequence, attention, moe), tp, "
    "layer,\n"
    "n, prefill_chunk, kv_prefill, decode_kv, activated_experts, skew. With a column expected_ns, or layer_ns and "
    "step_ns,\n"
    "the times are compared: exit code 1 when a look-up is more than 1 ns off, or a batch at all.";

inline constexpr const char* kProbeFooter =
    "Examples:\n"
    "  kernbench probe\n"
    "  kernbench probe --topology my.yaml --case pe-local-hbm\n"
    "  kernbench probe --routes                 the node and wire where each transfer spends its time\n"
    "  kernbench probe --strict --json          exit code 1 when a check fails\n"
    "\n"
    "Each case is one transfer of 32 KiB on a machine of its own. Actual is delivered - issued; PE cases are reads.\n"
    "Formula is the lower bound: overhead of the nodes, access_ns of HBM (reads), wires, and the drain of the data\n"
    "through the narrowest wire.";

}  // namespace kb::cli

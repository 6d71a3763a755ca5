// The members of result.json (field_table.h).
#pragma once

#include "sim/result/energy_fields.h"
#include "sim/result/field_table.h"
#include "sim/result/launch_fields.h"
#include "sim/result/result.h"

namespace kb::result {

template <>
struct Fields<Failure> {
  static constexpr auto kName = "error", kMeaning = "what went wrong";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("code", self.code, "a stable word");
    visit("message", self.message, "what happened, and what to do");
  }
};

template <>
struct Fields<TopologyFile> {
  static constexpr auto kName = "topology", kMeaning = "the machine";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("file", self.file, "as given");
    visit.matching("sha256", self.sha256, "^[0-9a-f]{64}$", "of the file's bytes");
  }
};

template <>
struct Fields<Setting> {
  static constexpr auto kName = "setting", kMeaning = "a value that makes this machine another one than the reference";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("key", self.key, "dotted key");
    visit("value", self.value, "in this run");
    visit("origin", self.origin, "file or --set");
    visit("reference", self.reference, "the value of the reference machine; null: it has no such key");
  }
};

template <>
struct Fields<ConfigValue> {
  static constexpr auto kName = "config_value", kMeaning = "a value and where it comes from";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("value", self.value, "the value");
    visit("origin", self.origin, "default, file, --set, command line or environment NAME");
  }
};

template <>
struct Fields<Bench> {
  static constexpr auto kName = "bench", kMeaning = "the workload";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("name", self.name, "of the workload");
    visit("params", self.params, "its parameters");
  }
};

template <typename Self, typename Visit>
void visit_unit(Self& self, Visit& visit) {
  visit.one_of("unit", self.unit, {"ns", "B", "flits", "1"}, "flits are of flit_bytes; 1 is a count");
}

template <>
struct Fields<Statistic> {
  static constexpr auto kName = "statistic", kMeaning = "a statistic of one block";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit.amount("value", self.value, self.unit, "in the unit");
    visit_unit(self, visit);
  }
};

template <>
struct Fields<KindStatistic> {
  static constexpr auto kName = "kind_statistic", kMeaning = "a statistic of all blocks of a kind";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit_unit(self, visit);
    visit.amount("sum", self.sum, self.unit, "over all blocks and all neighbours");
    visit.amount("max", self.max, self.unit, "the largest of a single block and neighbour");
    visit("at", self.at, "the first block that has the largest");
  }
};

template <>
struct Fields<BlockKind> {
  static constexpr auto kName = "block_kind", kMeaning = "statistics of the blocks of one kind";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("count", self.count, "blocks that were used");
    visit("statistics", self.statistics, "by name; to_KIND is every wire to a neighbour of that kind");
  }
};

template <>
struct Fields<WrongElement> {
  static constexpr auto kName = "wrong_element", kMeaning = "the first element that is wrong";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("index", self.index, "in the tensor");
    visit("expected", self.expected, "by the reference");
    visit("actual", self.actual, "as computed");
  }
};

template <>
struct Fields<Verification> {
  static constexpr auto kName = "verification", kMeaning = "one compared tensor";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("tensor", self.tensor, "its name");
    visit("dtype", self.dtype, "its element type");
    visit("shape", self.shape, "sizes of its dimensions");
    visit("max_abs", self.max_abs, "largest error; null: not a finite number");
    visit("max_rel", self.max_rel, "largest error relative to what is expected; null: not a finite number");
    visit("tolerance", self.tolerance, "largest error that an element was allowed; null: not a finite number");
    visit("max_of_bound", self.max_of_bound,
          "largest error as a fraction of what its element was allowed; null when nothing was");
    visit("non_finite", self.non_finite, "elements that are NaN or infinite as computed and rightly so");
    visit.one_of("rule", self.rule, {"equal", "bound"}, "equal, or within a bound");
    visit("bound", self.bound, "the rule in words");
    visit("roundings", self.roundings, "what the bound allows for besides");
    visit.may("wrong_elements", self.wrong_elements, "how many; only of a wrong tensor");
    visit.may("first_wrong", self.first_wrong, "only of a wrong tensor");
    visit.may("unverified_elements", self.unverified_elements,
              "only where there are some: what is expected is finite, and its error is not known");
    visit.may("first_unverified", self.first_unverified, "only where there are some: the index in the tensor");
    visit.one_of("status", self.status, {"ok", "wrong", "not verified"},
                 "wrong: an element is; not verified: none is, but one could not be judged or none was compared");
    visit("ok", self.ok, "neither wrong nor not verified");
  }
};

template <>
struct Fields<Race> {
  static constexpr auto kName = "race", kMeaning = "two commands that use the same bytes at once, one of them writing";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("text", self.text, "both calls");
    visit("pairs", self.pairs, "pairs of commands like this");
  }
};

template <>
struct Fields<Figure> {
  static constexpr auto kName = "figure", kMeaning = "what the workload reports";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("name", self.name, "of the figure");
    visit("value", self.value, "null: not a finite number");
    visit("unit", self.unit, "of the value; empty: a count");
  }
};

template <>
struct Fields<Estimate> {
  static constexpr auto kName = "estimate", kMeaning = "what a candidate would take, by formula";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("algorithm", self.algorithm, "a candidate");
    visit("ns", self.ns, "time by formula");
    visit("chunk_elements", self.chunk_elements, "per message");
    visit("root", self.root, "a cube, or null");
  }
};

template <>
struct Fields<Collective> {
  static constexpr auto kName = "collective", kMeaning = "a collective whose algorithm was chosen";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("call", self.call, "of the workload");
    visit("algorithm", self.algorithm, "that was used");
    visit("tile_bytes", self.tile_bytes, "bytes of a rank");
    visit("ranks", self.ranks, "ranks");
    visit("estimates", self.estimates, "of each candidate");
  }
};

template <>
struct Fields<Wait> {
  static constexpr auto kName = "wait", kMeaning = "a message that a PE waited for";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("pe", self.pe, "the receiver");
    visit("waited_for", self.waited_for, "the sender, which is the receiver of the next one");
    visit("awaited_ns", self.awaited, "begin of the receive");
    visit("sent_ns", self.sent, "begin of the send");
    visit("arrived_ns", self.arrived, "the message was in its slot");
    visit("received_ns", self.received, "end of the receive");
  }
};

template <>
struct Fields<Finding> {
  static constexpr auto kName = "finding", kMeaning = "something that makes the run slow";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("rule", self.rule, "a stable word");
    visit("launch", self.launch, "request id; null: between launches");
    visit("gain_ns", self.gain, "at most");
    visit("of_ns", self.whole, "time that would become shorter");
    visit("factor", self.factor, "of_ns over what would be left of it");
    visit("headline", self.headline, "what");
    visit("evidence", self.evidence, "sentences with figures");
    visit("remedy", self.remedy, "what to try");
    visit("chain", self.chain, "who waited for whom, the last message first; at most 32, of waiting_for_messages");
  }
};

template <>
struct Fields<LongestOperation> {
  static constexpr auto kName = "longest_operation", kMeaning = "the longest operation of a kind";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("pe", self.pe, "where");
    visit("start_ns", self.start, "since the begin of the run");
    visit("time_ns", self.time, "its time");
  }
};

template <>
struct Fields<Operation> {
  static constexpr auto kName = "operation", kMeaning = "a kind of operations";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("name", self.name, "as in the operation log");
    visit("count", self.count, "how often");
    visit("time_ns", self.time, "all together");
    visit("waiting_ns", self.waiting, "time of these in which they waited; null: not known of this kind");
    visit("longest", self.longest, "the longest one");
  }
};

template <>
struct Fields<Host> {
  static constexpr auto kName = "host", kMeaning = "cost on this computer; all that differs between equal runs";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("wall_s", self.wall_s, "elapsed");
    visit("cpu_s", self.cpu_s, "processor time");
    visit("rss_mb", self.rss_mb, "memory");
    visit("events", self.events, "steps of the simulator");
  }
};

template <>
struct Fields<Setup> {
  static constexpr auto kName = "setup", kMeaning = "what was run on what";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("schema", self.schema, "version of this form");
    visit("version", self.version, "of kernbench");
    visit("topology", self.topology, "the machine");
    visit("settings", self.settings, "what makes this machine another one than the reference");
    visit("config", self.config, "every key of the topology");
    visit("bench", self.bench, "the workload");
  }
};

template <>
struct Fields<Result> {
  static constexpr auto kName = "result", kMeaning = "result.json of kernbench";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    before_launches(self, visit);
    visit("launches", self.launches, kLaunches);
    after_launches(self, visit);
  }
  static constexpr auto kLaunches = "the 256 longest, in the order of request ids; all of them with --details";
  template <typename Self, typename Visit>
  static void before_launches(Self& self, Visit& visit) {
    Fields<Setup>::visit(self.setup, visit);
    visit.matching("device", self.device, "^(all|sip:[0-9]+)$", "all, or sip:N");
    visit("seed", self.seed, "as given");
    visit.one_of("data_mode", self.data_mode, {"off", "replay", "eager"}, "how tensors were computed");
    visit("ok", self.ok, "the workload ended well, and no compared tensor is wrong or not verified");
    visit("error", self.error, "null, or why it is not");
    visit("sim_time_ns", self.sim_time, "simulated time at the end");
    visit(
        "unknown_accesses", self.unknown_accesses,
        "accesses whose indices or masks data mode off did not know, so that their rows were assumed; 0 in other data "
        "modes");
    visit("launch_count", self.launch_count, "all launches of the run");
    visit("kernels", self.kernels, "sums over all launches, by kernel");
    visit("lines", self.lines, "where the time of kernels went, by line of their source; the longest ones");
    visit("transfers", self.transfers, "what the transfers and commands of each line did; the longest waits");
  }
  template <typename Self, typename Visit>
  static void after_launches(Self& self, Visit& visit) {
    visit("block_kinds", self.block_kinds, "statistics of all blocks that were used, by kind of block");
    visit.may("blocks", self.blocks, "statistics of every block that was used, by node id; only with --details");
    visit("verification", self.verification, "one row per compared tensor");
    visit.may("races", self.races, "only with --check races");
    visit.may("races_not_compared", self.races_not_compared,
              "only with --check races: accesses whose indices or masks data mode off does not know");
    visit("figures", self.figures, "what the workload reports; the first 256, all of them with --details");
    visit.may("collectives", self.collectives,
              "only in runs whose all-reduces were chosen; the first 256, all of them with --details");
    visit.may("energy", self.energy, "what the run cost in joules; only with `energy:` in the topology");
    visit("findings", self.findings, "what makes the run slow, the worst first");
    visit("operations", self.operations, "kinds of operations that take the most time together, the largest first");
    visit("notes", self.notes, "sentences");
    visit("warnings", self.warnings, "sentences; --strict turns them into a failure");
    visit("host", self.host, "cost on this computer; the only member that differs between equal runs");
  }
};

}  // namespace kb::result

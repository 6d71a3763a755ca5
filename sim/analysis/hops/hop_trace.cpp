#include "sim/analysis/hops/hop_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/glob.h"
#include "platform/base/no_match.h"
#include "platform/data/text_writer.h"
#include "platform/observe/text_sink.h"

namespace kb::sim {
namespace {

using payload::Hop;
using payload::Leg;

std::string_view name_of(payload::Op op) {
  switch (op) {
    case payload::Op::read:
      return "read";
    case payload::Op::write:
      return "write";
    case payload::Op::message:
      break;
  }
  return "message";
}

// Position on the path of the leg; the response goes backwards.
int position(const Hop& hop) {
  return hop.leg == Leg::request ? hop.index : -hop.index;
}

// " (row '1', line 2)" as a cell.
std::string cell_of(std::string origin) {
  const std::size_t begin = origin.find('(');
  if (begin == std::string::npos) return "-";
  return origin.substr(begin + 1, origin.rfind(')') - begin - 1);
}

}  // namespace

// In a serial decoder flits wait for headers, their own and those of others; messages do not.
HopParts parts_of(const Hop& hop, TimeFs came, const std::vector<payload::Decoding>& decodings) {
  HopParts parts{0_fs, 0_fs, hop.behind_own, hop.behind_others, hop.end - hop.last_start, hop.arrived - hop.end};
  if (decodings.empty() || hop.flits == 0) {
    parts.node = hop.last_ready - came;
    return parts;
  }
  const auto ends_later = [&](TimeFs at, const payload::Decoding& decoding) { return at < decoding.end; };
  auto decoding = std::upper_bound(decodings.begin(), decodings.end(), came, ends_later);
  for (; decoding != decodings.end() && decoding->begin < hop.last_ready; ++decoding) {
    const bool own = decoding->transaction == hop.transaction && decoding->leg == hop.leg;
    (own ? parts.node : parts.behind_headers) +=
        std::min(decoding->end, hop.last_ready) - std::max(decoding->begin, came);
  }
  return parts;
}

HopTrace::HopTrace(const topology::Graph& graph, Options options)
    : graph_(graph), options_(std::move(options)), chosen_(graph.nodes.size()), decodings_(graph.nodes.size()) {
  for (const std::string& pattern : options_.initiators) {
    bool any = false;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      names.push_back(graph.nodes[i].id);
      if (!glob_match(pattern, graph.nodes[i].id)) continue;
      chosen_[i] = any = true;
    }
    if (any) continue;
    const std::string help = no_match_help(pattern, names);
    throw Error(ErrorFamily::configuration, "USAGE_ERROR",
                fmt::format("--hops-of {}: no node of the machine has such a name{} (* stands for anything)", pattern,
                            help.empty() ? "" : "; " + help));
  }
}

bool HopTrace::follows(const payload::Transaction& transaction) {
  const std::vector<NodeId>& nodes = transaction.route->nodes;
  if (!chosen(nodes.front())) return false;
  if (followed_.count(transaction.id) != 0) return true;
  if (expected_ >= options_.most_hops) {
    if (!first_unfollowed_) first_unfollowed_ = transaction.id;
    return false;
  }
  expected_ += 2 * (nodes.size() - 1);
  followed_[transaction.id] = {
      transaction.op,
      transaction.issued,
      nodes.front(),
      nodes.back(),
      transaction.address,
      transaction.bytes,
      transaction.initiator == nullptr ? "-" : cell_of(transaction.initiator->origin(transaction))};
  return true;
}

void HopTrace::passed(const Hop& hop) {
  hops_.push_back(hop);
}

// Those after the last traced transaction are not needed.
void HopTrace::decoded(const payload::Decoding& decoding) {
  if (!first_unfollowed_) decodings_[decoding.node.value].push_back(decoding);
}

void HopTrace::write(observe::OutputFile& file) {
  const auto key = [](const Hop& hop) { return std::make_tuple(hop.transaction, hop.leg, position(hop)); };
  std::sort(hops_.begin(), hops_.end(), [&](const Hop& a, const Hop& b) { return key(a) < key(b); });
  file.write(
      "transaction\top\tinitiator\ttarget\taddress\tbytes\torigin\tleg\tfrom\tto\tflits\tready_ns\tstart_ns\tend_ns\t"
      "arrived_ns\tlongest_wait_ns\tbehind_headers_ns\tnode_ns\tbehind_own_ns\tbehind_others_ns\ton_wire_ns\tdistance_"
      "ns\n");
  fmt::memory_buffer text;
  std::string head;  // common beginning of all lines of a transaction
  const Hop* previous = nullptr;
  for (const Hop& hop : hops_) {
    const bool first = previous == nullptr || previous->transaction != hop.transaction;
    if (first) head = head_of(hop.transaction);
    append(text, head, hop, first ? followed_.at(hop.transaction).issued : previous->arrived);
    previous = &hop;
    if (text.size() < observe::kPieceBytes) continue;
    file.write({text.data(), text.size()});
    text.clear();
  }
  file.write({text.data(), text.size()});
}

std::string HopTrace::head_of(std::uint64_t transaction) const {
  const Followed& followed = followed_.at(transaction);
  return fmt::format("{}\t{}\t{}\t{}\t{:#x}\t{}\t{}\t", transaction, name_of(followed.op),
                     graph_.node(followed.initiator).id, graph_.node(followed.target).id, followed.address,
                     followed.bytes, followed.origin);
}

void HopTrace::append(fmt::memory_buffer& text, const std::string& head, const Hop& hop, TimeFs came) const {
  data::TextWriter out(text);
  out.text(head);
  out.text(hop.leg == Leg::request ? "request\t" : "response\t");
  out.text(graph_.node(hop.from).id);
  out.put('\t');
  out.text(graph_.node(hop.to).id);
  out.put('\t');
  out.decimal(hop.flits);
  const HopParts parts = parts_of(hop, came, decodings_[hop.from.value]);
  for (const TimeFs time : {hop.ready, hop.start, hop.end, hop.arrived, hop.longest_wait, parts.behind_headers,
                            parts.node, parts.behind_own, parts.behind_others, parts.on_wire, parts.distance}) {
    out.put('\t');
    out.nanoseconds(time);
  }
  out.put('\n');
}

std::optional<std::string> HopTrace::warning() const {
  if (hops_.empty()) return "--hops: no transaction was on the fabric that it asks for";
  if (!first_unfollowed_) return std::nullopt;
  return fmt::format(
      "--hops holds the first {} hops, of transactions before number {}; --hops-of PATTERN chooses where they begin",
      hops_.size(), *first_unfollowed_);
}

}  // namespace kb::sim

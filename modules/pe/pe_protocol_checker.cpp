#include "modules/pe/pe_protocol_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "platform/base/error.h"

namespace kb::modules {
namespace {

struct Watches {  // the watches of a platform, in block order
  std::vector<PeProtocolChecker*> all;
};

}  // namespace

PeProtocolChecker::PeProtocolChecker(const elab::Block& block, elab::BlockContext& context)
    : block_(block), context_(context) {
  context.shared<Watches>().all.push_back(this);
}

PeProtocolChecker::~PeProtocolChecker() {
  std::vector<PeProtocolChecker*>& all = context_.shared<Watches>().all;
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

PeProtocolChecker::Entry* PeProtocolChecker::find(const CommandTask& task) {
  const auto found = entries_.find(&task);
  return found == entries_.end() || found->second.id != task.id ? nullptr : &found->second;
}

void PeProtocolChecker::received(const CommandTask& task, std::string text) {
  entries_[&task] = {task.id, std::move(text), context_.scheduler.now(), Place::here, false};
}

void PeProtocolChecker::answered(const CommandTask& task) {
  Entry* const entry = find(task);
  if (entry == nullptr) return;
  entry->place = entry->own ? Place::gone : Place::here;
  entry->since = context_.scheduler.now();
}

bool PeProtocolChecker::has(const CommandTask& task, const char* verb) {
  if (context_.scheduler.failed()) return false;
  const Entry* const entry = find(task);
  if (entry != nullptr && entry->place == Place::here) return true;
  complain(verb, entry);
  return false;
}

bool PeProtocolChecker::gives_away(const CommandTask& task, const char* verb) {
  if (!has(task, verb)) return false;
  find(task)->place = Place::gone;
  return true;
}

bool PeProtocolChecker::may_send(const CommandTask& task, std::string text) {
  if (context_.scheduler.failed()) return false;
  Entry* const entry = find(task);
  if (entry == nullptr || entry->own) {
    if (entry != nullptr && entry->place == Place::sent) {
      complain("sends", entry);
      return false;
    }
    entries_[&task] = {task.id, std::move(text), context_.scheduler.now(), Place::sent, true};
    return true;
  }
  if (!has(task, "sends on")) return false;
  entry->place = Place::sent;
  return true;
}

void PeProtocolChecker::complain(const char* verb, const Entry* entry) {
  const bool again = entry != nullptr && entry->place == Place::gone;
  const std::string what = entry == nullptr ? fmt::format("{} a command that it never got", verb)
                           : again          ? fmt::format("{} {}, which it has given away already,", verb, entry->text)
                                            : fmt::format("{} {}, whose answer has not come,", verb, entry->text);
  elab::fail_for(block_.node_record(), context_.scheduler, what,
                 "answer every command once, or pass it on once: finish(), finish_stage(), answer() and send() take "
                 "only what on_task() or on_answer() has brought");
}

const PeProtocolChecker::Entry* PeProtocolChecker::kept() const {
  const Entry* oldest = nullptr;
  for (const auto& [task, entry] : entries_) {
    if (entry.place == Place::sent) return nullptr;  // waits for another block
    if (entry.place != Place::here) continue;
    if (oldest == nullptr || std::tie(entry.since, entry.id) < std::tie(oldest->since, oldest->id)) oldest = &entry;
  }
  return oldest;
}

void throw_if_a_pe_block_stalls(elab::BlockContext& context) {
  for (const PeProtocolChecker* watch : context.shared<Watches>().all) {
    const PeProtocolChecker::Entry* const kept = watch->kept();
    std::vector<elab::WaitInfo> waits;
    watch->block_.collect_waits(waits);
    if (kept == nullptr || !waits.empty()) continue;  // a block that reports its waits is in the table of waits
    const topology::Node& node = watch->block_.node_record();
    throw Error(
        ErrorFamily::model, "BLOCK_ERROR",
        fmt::format("{} ({}) never answers {}, which it got at {} ns; nothing can happen any more at {} ns; "
                    "call finish() or answer() for every command",
                    node.id, node.impl, kept->text, format_ns(kept->since), format_ns(context.scheduler.now())));
  }
}

}  // namespace kb::modules

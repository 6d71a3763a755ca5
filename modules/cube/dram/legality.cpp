#include "modules/cube/dram/legality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <map>
#include <sstream>
#include <string_view>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/base/units.h"

namespace kb::dram {
namespace {

constexpr std::int64_t kBefore = INT64_MIN / 4;
const std::vector<std::string> kNames = {"ACT", "PRE", "RD", "RDA", "WR", "WRA", "REFB", "REFA"};
enum Kind : std::size_t { kAct, kPre, kRd, kRda, kWr, kWra, kRefb, kRefa };

struct Line {
  std::uint64_t number = 0;
  std::int64_t time = 0;
  std::uint32_t channel = 0, bank = 0, row = 0;
  Kind kind = kAct;
};

struct Header {
  std::string preset;
  std::int64_t tck = 0;
  std::map<std::string, std::int64_t> geometry, timing;
  std::map<std::string, std::int64_t> half_ticks;  // that row commands hold their bus; distance of edges of PRE
};

// The latest ends of commands at one part of the channel. `read` and `write` include those with auto-precharge.
struct Latest {
  std::int64_t act = kBefore, pre = kBefore, read = kBefore, write = kBefore, refresh = kBefore;
  std::int64_t read_closing = kBefore, write_closing = kBefore;
};
struct BankLog : Latest {
  bool open = false;
  std::uint32_t row = 0;
};
struct PcLog : Latest {
  std::int64_t refresh_all = kBefore;
  std::array<std::int64_t, 4> acts = {kBefore, kBefore, kBefore, kBefore};  // the oldest first
};

class ChannelLog {
 public:
  ChannelLog(const Header& header, LegalityReport& report, std::size_t max_violations)
      : h_(header),
        report_(report),
        max_violations_(max_violations),
        groups_(part("bank_groups")),
        banks_(part("banks")),
        sids_(part("sids")) {
    const std::size_t pcs = static_cast<std::size_t>(part("pcs")), sids = pcs * static_cast<std::size_t>(sids_);
    pc_.resize(pcs);
    sid_.resize(sids);
    group_.resize(sids * static_cast<std::size_t>(groups_));
    bank_.resize(group_.size() * static_cast<std::size_t>(banks_));
  }

  std::size_t banks() const { return bank_.size(); }

  void take(const Line& line) {
    line_ = &line;
    group_index_ = line.bank / static_cast<std::uint32_t>(banks_);
    sid_index_ = group_index_ / static_cast<std::uint32_t>(groups_);
    pc_index_ = sid_index_ / static_cast<std::uint32_t>(sids_);
    const bool column = line.kind >= kRd && line.kind <= kWra;
    bus(column);
    if (column) {
      column_command(line.kind == kRd || line.kind == kRda, line.kind == kRda || line.kind == kWra);
    } else if (line.kind == kAct) {
      act();
    } else if (line.kind == kPre) {
      pre();
    } else {
      refresh(line.kind == kRefa);
    }
  }

 private:
  std::int64_t part(const char* key) const { return h_.geometry.at(key); }
  std::int64_t t(const char* key) const { return h_.timing.at(key); }

  void violation(const std::string& rule, std::int64_t needed = -1, double seen = 0.0) {
    if (++report_.violations > max_violations_) return;
    const Line& at = *line_;
    report_.first.push_back({at.number, at.time, at.channel, at.bank, at.row, kNames[at.kind], rule, needed, seen});
  }
  // At least `ticks` since `before`; what is violated is called `rule`.
  void since(std::int64_t before, std::int64_t ticks, const char* rule) {
    if (before == kBefore || end_ - before >= ticks * h_.tck) return;
    violation(rule, ticks, static_cast<double>(end_ - before) / static_cast<double>(h_.tck));
  }

  void bus(bool column) {
    const std::int64_t edges = line_->kind == kPre ? h_.half_ticks.at("PRE_edge") : 2;
    if (line_->time % (edges * h_.tck / 2) != 0) violation("is not at a clock edge");
    std::int64_t& free = column ? column_free_ : row_free_;
    if (line_->time < free) violation(column ? "the column bus is busy" : "the row bus is busy");
    const std::int64_t length = column ? 2 : h_.half_ticks.at(line_->kind == kAct ? "ACT" : "PRE");
    free = end_ = line_->time + length * h_.tck / 2;
  }

  void column_command(bool read, bool closing) {
    BankLog& bank = bank_[line_->bank];
    Latest &group = group_[group_index_], &sid = sid_[sid_index_], &pc = pc_[pc_index_];
    if (!bank.open) violation("the bank is closed");
    if (bank.open && bank.row != line_->row) violation(fmt::format("the bank has row {}", bank.row));
    const auto same = [read](const Latest& at) { return read ? at.read : at.write; };
    since(same(pc), t("BL"), "BL");
    since(same(sid), t("CCDS"), "tCCDS");
    since(same(group), t("CCDL"), "tCCDL");
    since(bank.act, t(read ? "RCDRD" : "RCDWR"), read ? "tRCDRD" : "tRCDWR");
    if (read) {
      since(pc.write, t("CWL") + t("BL") + t("WTRS"), "CWL + BL + tWTRS");
      since(group.write, t("CWL") + t("BL") + t("WTRL"), "CWL + BL + tWTRL");
      for (std::size_t s = 0; s < sid_.size(); ++s) {
        if (s != sid_index_ && s / static_cast<std::size_t>(sids_) == pc_index_)
          since(sid_[s].read, t("CCDR"), "tCCDR");
      }
    } else {
      since(pc.read, t("RTW"), "tRTW");
    }
    for (Latest* at : {static_cast<Latest*>(&bank), &group, &sid, &pc}) (read ? at->read : at->write) = end_;
    if (!closing) return;
    bank.open = false;
    for (Latest* at : {static_cast<Latest*>(&bank), &pc}) (read ? at->read_closing : at->write_closing) = end_;
  }

  void closed(const Latest& at) {
    since(at.pre, t("RP"), "tRP");
    since(at.read_closing, t("RTP") + t("RP"), "tRTP + tRP");
    since(at.write_closing, t("CWL") + t("BL") + t("WR") + t("RP"), "CWL + BL + tWR + tRP");
  }

  void act() {
    BankLog& bank = bank_[line_->bank];
    PcLog& pc = pc_[pc_index_];
    if (bank.open) violation("the bank is open");
    closed(bank);
    since(bank.act, t("RC"), "tRC");
    since(bank.refresh, t("RFCPB"), "tRFCPB");
    since(group_[group_index_].act, t("RRDL"), "tRRDL");
    since(group_[group_index_].refresh, t("RRDL"), "tRRDL after REFB");
    since(pc.act, t("RRDS"), "tRRDS");
    since(pc.acts.front(), t("FAW"), "tFAW");
    since(pc.refresh, t("RREFD"), "tRREFD");
    since(pc.refresh_all, t("RFC"), "tRFC");
    for (Latest* at : {static_cast<Latest*>(&bank), &group_[group_index_], static_cast<Latest*>(&pc)}) at->act = end_;
    std::rotate(pc.acts.begin(), pc.acts.begin() + 1, pc.acts.end());
    pc.acts.back() = end_;
    bank.open = true;
    bank.row = line_->row;
  }

  void pre() {
    BankLog& bank = bank_[line_->bank];
    PcLog& pc = pc_[pc_index_];
    if (!bank.open) violation("the bank is closed");
    since(bank.act, t("RAS"), "tRAS");
    since(bank.read, t("RTP"), "tRTP");
    since(bank.write, t("CWL") + t("BL") + t("WR"), "CWL + BL + tWR");
    since(pc.pre, t("PPD"), "tPPD");
    since(pc.refresh_all, t("RFC"), "tRFC");
    bank.pre = pc.pre = end_;
    bank.open = false;
  }

  void refresh(bool all) {
    PcLog& pc = pc_[pc_index_];
    const std::size_t count = static_cast<std::size_t>(sids_ * groups_ * banks_);
    const std::size_t first = all ? pc_index_ * count : line_->bank;
    for (std::size_t b = first; b < first + (all ? count : 1); ++b) {
      if (bank_[b].open) violation(fmt::format("bank {} is open", b));
    }
    const Latest& at = all ? static_cast<const Latest&>(pc) : bank_[line_->bank];
    closed(at);
    since(at.act, t("RC"), "tRC");
    since(pc.refresh_all, t("RFC"), "tRFC");
    if (all) {
      pc.refresh_all = end_;
      return;
    }
    since(pc.refresh, t("RREFD"), "tRREFD");
    since(bank_[line_->bank].refresh, t("RFCPB"), "tRFCPB");
    since(pc.act, t("RRDS"), "tRRDS");
    since(group_[group_index_].act, t("RRDL"), "tRRDL");
    bank_[line_->bank].refresh = group_[group_index_].refresh = pc.refresh = end_;
  }

  const Header& h_;
  LegalityReport& report_;
  std::size_t max_violations_;
  std::int64_t groups_, banks_, sids_;
  std::vector<BankLog> bank_;
  std::vector<Latest> group_, sid_;
  std::vector<PcLog> pc_;
  std::int64_t row_free_ = kBefore, column_free_ = kBefore;
  const Line* line_ = nullptr;
  std::int64_t end_ = 0;  // of the command: times lie between the ends of commands
  std::size_t group_index_ = 0, sid_index_ = 0, pc_index_ = 0;
};

class TraceReader {
 public:
  TraceReader(std::istream& from, const std::string& name) : from_(from), name_(name) {}

  // Reads the lines that begin with '#'; the first line of commands stays in text().
  Header header() {
    if (!next() || text_ != "# kernbench dram-trace 2")
      refuse("is not a trace of memory commands", "the first line of one is '# kernbench dram-trace 2'");
    Header header;
    while (next() && text_.rfind("# ", 0) == 0) {
      std::istringstream words(text_.substr(2));
      std::string kind;
      words >> kind;
      if (kind == "preset") words >> header.preset;
      if (kind == "tck_fs") words >> header.tck;
      if (kind != "geometry" && kind != "timing" && kind != "half_ticks") continue;
      auto& values = kind == "geometry" ? header.geometry : kind == "timing" ? header.timing : header.half_ticks;
      std::int64_t value = 0;
      for (std::string key; words >> key >> value;) values[key] = value;
    }
    check(header);
    return header;
  }
  bool has_line() const { return has_line_; }
  bool is_comment() const { return !text_.empty() && text_.front() == '#'; }
  bool next() {
    has_line_ = static_cast<bool>(std::getline(from_, text_));
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
    number_ += has_line_ ? 1 : 0;
    return has_line_;
  }
  Line line() const {
    Line line;
    line.number = number_;
    std::string_view rest = text_;
    std::string_view command;
    std::uint64_t transaction = 0;
    if (!number(rest, line.time) || !number(rest, line.channel) || (command = word(rest)).empty() ||
        !number(rest, line.bank) || !number(rest, line.row) || !number(rest, transaction) || !word(rest).empty()) {
      refuse("'" + text_ + "' is no command", "write time_fs, channel, command, bank, row, transaction");
    }
    const auto found = std::find(kNames.begin(), kNames.end(), command);
    if (found == kNames.end()) refuse("unknown command '" + std::string(command) + "'", suggest(command, kNames));
    line.kind = static_cast<Kind>(found - kNames.begin());
    return line;
  }
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    throw Error(std::vector<Diagnostic>{{name_, static_cast<int>(number_), 0, "", problem, remedy}});
  }

 private:
  static std::string_view word(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t\r")));
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
    rest.remove_prefix(word.size());
    return word;
  }
  template <typename Number>
  static bool number(std::string_view& rest, Number& value) {
    const std::string_view text = word(rest);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
  }

  void check(const Header& header) const {
    if (header.tck <= 0) refuse("the header has no tck_fs", "write the trace with kernbench");
    for (const char* key : {"pcs", "sids", "bank_groups", "banks"}) {
      const auto found = header.geometry.find(key);
      if (found == header.geometry.end() || found->second < 1 || found->second > 64) {
        refuse(fmt::format("the header's geometry has no valid '{}'", key), "1 to 64");
      }
    }
    for (const char* key : {"ACT", "PRE", "PRE_edge"}) {
      const auto found = header.half_ticks.find(key);
      if (found == header.half_ticks.end() || found->second < 1 || found->second > 4) {
        refuse(fmt::format("the header's half_ticks have no valid '{}'", key), "1 to 4");
      }
    }
    for (const char* key :
         {"BL",   "CL",  "CWL", "RCDRD", "RCDWR", "RP",   "RAS", "RC",  "CCDS", "CCDL",  "CCDR", "RRDS",
          "RRDL", "FAW", "RTP", "WR",    "WTRS",  "WTRL", "RTW", "PPD", "RFC",  "RFCPB", "RREFD"}) {
      if (header.timing.count(key) == 0)
        refuse(fmt::format("the header's timing has no '{}'", key), "write the trace with kernbench");
    }
  }

  std::istream& from_;
  std::string name_;
  std::string text_;
  std::uint64_t number_ = 0;
  bool has_line_ = false;
};

}  // namespace

std::string Violation::text() const {
  const std::string limit =
      needed < 0
          ? ""
          : fmt::format(" needs {} ticks from the end of one command to that of the other, has {}", needed, seen);
  return fmt::format("{} of bank {} in channel {} at {} ns: {}{}", command, bank, channel, format_ns(TimeFs(time_fs)),
                     rule, limit);
}

LegalityReport check_legality(std::istream& from, const std::string& name, std::size_t max_violations) {
  TraceReader reader(from, name);
  const Header header = reader.header();
  LegalityReport report;
  report.preset = header.preset;
  report.timing = header.timing;
  for (const std::string& command : kNames) report.counts.emplace_back(command, 0);
  std::map<std::uint32_t, ChannelLog> channels;
  for (; reader.has_line(); reader.next()) {
    if (reader.is_comment()) continue;
    const Line line = reader.line();
    const auto found = channels.try_emplace(line.channel, header, report, max_violations).first;
    if (line.bank >= found->second.banks()) {
      reader.refuse(fmt::format("bank {} does not exist", line.bank),
                    fmt::format("0 to {}", found->second.banks() - 1));
    }
    found->second.take(line);
    ++report.commands;
    ++report.counts[line.kind].second;
  }
  report.channels = channels.size();
  return report;
}

}  // namespace kb::dram

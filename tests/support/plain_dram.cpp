#include "tests/support/plain_dram.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "tests/support/plain_dram_rules.h"

namespace kb::test {
namespace {

class PlainDram {
 public:
  // `hold`: as for run_plain_dram(); empty when the caller releases response entries.
  PlainDram(const dram::ChannelConfig& config, const std::function<TimeFs(const Burst&)>& hold)
      : c_(config),
        t_(config.standard.timing),
        g_(config.standard.geometry),
        hold_(hold),
        half_(config.standard.tck.fs() / 2),
        step_(config.standard.pre_step),
        times_(config.standard),
        banks_(static_cast<std::size_t>(2 * per_pc())),
        free_(config.response_entries) {}

  void push(const Burst& burst) {
    Flit& flit = flits_.emplace_back();
    flit.burst = burst;
    flit.schedulable = up(burst.arrival + c_.frontend);
    result_.answers.emplace_back();
    result_.freed.push_back(kNever);
  }
  void release(TimeFs taken) { ++due_[up(taken + c_.frontend)]; }
  TimeFs next_edge() const { return TimeFs(now_ * half_); }
  bool is_done() const { return result_.answered == flits_.size(); }
  void look() {
    latest_.clear();
    edge();
    now_ += step_;
  }
  const std::vector<std::size_t>& latest() const { return latest_; }
  PlainDramResult& result() { return result_; }

 private:
  int per_pc() const { return g_.sids * g_.bank_groups * g_.banks; }
  Edge up(TimeFs time) const {  // first edge not before
    const Edge n = (time.fs() + half_ - 1) / half_;
    return (n + step_ - 1) / step_ * step_;
  }
  void edge() {
    while (!due_.empty() && due_.begin()->first <= now_) {
      free_ += due_.begin()->second;
      due_.erase(due_.begin());
    }
    const int units = c_.refresh == dram::RefreshMode::all_bank ? 2 : 2 * per_pc();
    if (c_.refresh != dram::RefreshMode::none) {
      while (2 * ((refreshes_due_ + 1) * t_.refi / units) <= now_) ++refreshes_due_;
    }
    enter();
    choose_mode();
    const bool work = !queue_.empty();
    must_refresh_ = refreshes_due_ - refreshes_done_ > (work ? std::int64_t{c_.postpone} * units : 0);
    unit_ = static_cast<int>(refreshes_done_ % units);
    note_what_waits();
    if (now_ % 2 == 0) column_command();
    if (now_ >= row_free_) row_command();
  }

  bool blocked(const Access& access) const {
    return std::any_of(access.behind.begin(), access.behind.end(),
                       [&](std::size_t other) { return flits_[other].left < 0 || flits_[other].left >= now_; });
  }
  bool in_refresh(int bank) const {
    if (!must_refresh_) return false;
    return c_.refresh == dram::RefreshMode::per_bank ? bank == unit_ : bank / per_pc() == unit_;
  }
  template <typename F>  // accesses in the order of age that could be served; stops when f returns true
  bool each(F&& f) {
    for (const std::size_t index : queue_) {
      for (Access& access : flits_[index].accesses) {
        if (!access.issued && access.bad_hazard != now_ && f(access)) return true;
      }
    }
    return false;
  }
  bool is_write(const Access& access) const { return flits_[access.flit].burst.direction == dram::kWrite; }

  int entries(dram::Direction direction) const {
    return static_cast<int>(std::count_if(queue_.begin(), queue_.end(),
                                          [&](std::size_t i) { return flits_[i].burst.direction == direction; }));
  }
  void enter() {
    for (; next_ < flits_.size(); ++next_) {
      Flit& flit = flits_[next_];
      const int most = flit.burst.direction == dram::kRead ? c_.read_entries : c_.write_entries;
      if (flit.schedulable > now_ || entries(flit.burst.direction) >= most) return;
      flit.entered = flit.last = now_;
      const std::uint64_t first = flit.burst.address / 32, last = (flit.burst.address + flit.burst.bytes - 1) / 32;
      for (std::uint64_t unit = first; unit <= last; ++unit) add_access(next_, unit);
      flit.queued = !flit.accesses.empty();
      if (flit.queued) queue_.push_back(next_);
      const bool posted = flit.burst.direction == dram::kWrite && c_.write_ack == dram::WriteAck::accepted;
      if (!flit.queued) {
        flit.left = now_;
        result_.freed[next_] = TimeFs(now_ * half_);
      }
      if (posted) answer(flit);
      if (!flit.queued) answer_readers();
    }
  }
  void add_access(std::size_t index, std::uint64_t unit) {
    Flit& flit = flits_[index];
    Access access;
    access.flit = index;
    place(c_, flit.burst.pc, unit, access);
    const auto part = [unit](const Burst& b) {
      return std::pair{std::max(b.address, unit * 32), std::min(b.address + b.bytes, unit * 32 + 32)};
    };
    bool youngest_write = true;
    for (auto it = queue_.rbegin(); it != queue_.rend(); ++it) {
      const Burst& older = flits_[*it].burst;
      const auto [begin, end] = part(older);
      if (older.pc != flit.burst.pc || begin >= end) continue;
      if (flit.burst.direction == dram::kRead && older.direction == dram::kRead) continue;
      const auto [own_begin, own_end] = part(flit.burst);
      if (flit.burst.direction == dram::kRead && youngest_write && begin <= own_begin && end >= own_end) {
        flit.sources.push_back(*it);
        return;
      }
      youngest_write = false;
      access.behind.push_back(*it);
    }
    flit.accesses.push_back(access);
  }
  void choose_mode() {
    for (const std::size_t index : queue_) {
      for (Access& access : flits_[index].accesses) {
        if (!access.issued && blocked(access)) access.bad_hazard = now_;
      }
    }
    const bool before = writing_;
    if (c_.drain == dram::Drain::oldest) {
      if (!queue_.empty()) writing_ = flits_[queue_.front()].burst.direction == dram::kWrite;
    } else {
      int reads = 0, writes = 0;
      each([&](Access& access) {
        if (may_respond(flits_[access.flit])) ++(is_write(access) ? writes : reads);
        return false;
      });
      const int used = entries(dram::kWrite);
      if (!before) writing_ = writes > 0 && (used >= c_.high || reads == 0);
      if (before) writing_ = !(writes == 0 || (used <= c_.low && reads > 0));
    }
  }
  bool may_respond(const Flit& flit) const {
    if (flit.burst.direction == dram::kWrite || flit.started || free_ >= 2) return true;
    for (const std::size_t index : queue_) {
      if (flits_[index].burst.direction == dram::kRead && !flits_[index].started) {
        return free_ >= 1 && &flits_[index] == &flit;
      }
    }
    return false;
  }
  void note_what_waits() {
    for (const std::size_t index : queue_) {
      for (Access& access : flits_[index].accesses) {
        if (is_write(access) != writing_) access.bad_mode = now_;
        if (!may_respond(flits_[index])) access.bad_response = now_;
      }
    }
  }

  bool legal(char command, int bank) const {
    return (command == 'P' || now_ % 2 == 0) && times_.satisfied(command, bank).since <= now_;
  }

  // What the command waited for last: the table, or one of the causes that an access has by itself.
  Reason reason_of(char command, const Access& access, Edge raster) const {
    Reason reason = times_.satisfied(command, access.bank);
    const auto round = [&](Edge at) { return at < 0 ? at : (at + raster - 1) / raster * raster; };
    reason.since = round(reason.since);
    const auto take = [&](Edge bad, Cause cause) {
      const Edge at = round(bad + step_);
      if (at > reason.since || (at == reason.since && cause < reason.cause)) reason = {at, cause};
    };
    take(access.bad_hazard, Cause::hazard);
    take(access.bad_mode, Cause::write_drain);
    if (!is_write(access) && !flits_[access.flit].started) take(access.bad_response, Cause::response_full);
    return reason;
  }
  void issue(char command, int bank, std::int64_t row, std::uint64_t transaction) {
    const std::size_t letter = std::string(kLetters).find(command);
    times_.issue(command, bank, now_);
    result_.commands.push_back({now_, static_cast<Command>(letter), static_cast<std::uint32_t>(bank),
                                static_cast<std::uint32_t>(row), transaction});
  }
  bool has_hit(int bank, bool any_direction, const Access* except) {
    return each([&](Access& other) {
      return &other != except && other.bank == bank && other.row == banks_[static_cast<std::size_t>(bank)].row &&
             (any_direction || (is_write(other) == writing_ && may_respond(flits_[other.flit])));
    });
  }
  bool capped(int bank) {
    const BankState& state = banks_[static_cast<std::size_t>(bank)];
    if (state.hits < c_.row_hit_cap) return false;
    bool other_row = false;
    each([&](Access& access) {
      if (access.bank != bank || is_write(access) != writing_ || !may_respond(flits_[access.flit])) return false;
      other_row = access.row != state.row;
      return true;
    });
    return other_row;
  }

  void column_command() {
    each([&](Access& access) {
      const BankState& bank = banks_[static_cast<std::size_t>(access.bank)];
      if (is_write(access) != writing_ || bank.row != access.row || in_refresh(access.bank)) return false;
      if (!legal(writing_ ? 'W' : 'R', access.bank) || !may_respond(flits_[access.flit]) || capped(access.bank))
        return false;
      serve(access);
      return true;
    });
  }
  void serve(Access& access) {
    Flit& flit = flits_[access.flit];
    BankState& bank = banks_[static_cast<std::size_t>(access.bank)];
    const Reason why = reason_of(writing_ ? 'W' : 'R', access, 2);
    for (Edge at = flit.last; at < now_; ++at) {
      Cause cause = at < why.since ? why.cause : Cause::column_bus;
      if (at < bank.opened) cause = at < bank.why_opened.since ? bank.why_opened.cause : Cause::row_bus;
      if (at < bank.opened && bank.refresh_begin <= at && at < bank.refresh_end) cause = Cause::refresh;
      if (at < bank.closed) cause = at < bank.why_closed.since ? bank.why_closed.cause : Cause::row_bus;
      ++flit.waits[index(cause)];
    }
    flit.last = now_;
    ++(bank.hits > 0   ? result_.statistics.row_hits
       : bank.conflict ? result_.statistics.row_conflicts
                       : result_.statistics.row_misses);
    int& direction = direction_[static_cast<std::size_t>(times_.instance('P', access.bank))];
    if (direction >= 0 && direction != (writing_ ? 1 : 0)) ++result_.statistics.turnarounds;
    direction = writing_ ? 1 : 0;
    const bool closes = c_.pages == dram::PagePolicy::closed && !has_hit(access.bank, true, &access);
    issue(writing_ ? (closes ? 'w' : 'W') : (closes ? 'r' : 'R'), access.bank, access.row, flit.burst.transaction);
    ++bank.hits;
    bank.used = now_;
    if (closes) {
      bank.row = -1;
      bank.closed = now_;
      bank.why_closed = {now_, Cause::row};
      bank.conflict = false;
    }
    if (!writing_ && !flit.started) {
      flit.started = true;
      --free_;
    }
    access.issued = true;
    if (std::all_of(flit.accesses.begin(), flit.accesses.end(), [](const Access& a) { return a.issued; }))
      leave(access.flit);
  }
  void leave(std::size_t index) {
    Flit& flit = flits_[index];
    flit.left = now_;
    flit.queued = false;
    result_.freed[index] = TimeFs(now_ * half_);
    queue_.erase(std::find(queue_.begin(), queue_.end(), index));
    if (flit.burst.direction == dram::kWrite && c_.write_ack == dram::WriteAck::committed) answer(flit);
    answer_readers();
  }
  // Reads whose accesses are served and whose writes have their acknowledgement.
  void answer_readers() {
    for (std::size_t i = 0; i < next_ + 1 && i < flits_.size(); ++i) {
      Flit& flit = flits_[i];
      if (flit.burst.direction == dram::kWrite || flit.left < 0 || result_.answers[i].ready > TimeFs{}) continue;
      const bool known =
          c_.write_ack == dram::WriteAck::accepted ||
          std::all_of(flit.sources.begin(), flit.sources.end(), [&](std::size_t s) { return flits_[s].left >= 0; });
      if (known) answer(flit);
    }
  }
  void answer(Flit& flit) {
    ++result_.answered;
    const auto number = static_cast<std::size_t>(&flit - flits_.data());
    latest_.push_back(number);
    dram::Answer& answer = result_.answers[number];
    const auto fs = [&](Edge edge) { return TimeFs(edge * half_); };
    answer.burst = flit.burst;
    answer.entered = fs(flit.entered);
    answer.waits[index(Cause::queue_full)] = fs(flit.entered - flit.schedulable);
    answer.waits[index(Cause::other)] = fs(flit.schedulable) - flit.burst.arrival - c_.frontend;
    if (flit.burst.direction == dram::kWrite && c_.write_ack == dram::WriteAck::accepted) {
      answer.service = c_.frontend;
      answer.ready = answer.entered;
      return;
    }
    for (std::size_t c = 0; c < dram::kCauses; ++c) answer.waits[c] += fs(flit.waits[c]);
    if (flit.burst.direction == dram::kWrite) {
      answer.ready = fs(flit.last) + fs(2 * (t_.cwl + t_.bl));
      answer.service = c_.frontend + fs(2 * (t_.cwl + t_.bl));
      return;
    }
    const TimeFs access = flit.accesses.empty() ? c_.frontend : fs(2 * (t_.cl + t_.bl));
    TimeFs data = fs(flit.last) + access;
    TimeFs forwarded = flit.sources.empty() ? TimeFs{} : fs(flit.entered) + c_.frontend;
    for (const std::size_t source : flit.sources) {
      if (c_.write_ack == dram::WriteAck::committed) {
        forwarded = std::max(forwarded, fs(flits_[source].last) + fs(2 * (t_.cwl + t_.bl)));
      }
    }
    answer.waits[index(Cause::hazard)] += std::max(TimeFs{}, forwarded - data);
    answer.ready = std::max(data, forwarded) + c_.backend;
    answer.holds_response = flit.started;
    answer.service = c_.frontend + access + c_.backend;
    if (flit.started && hold_) release(answer.ready + hold_(flit.burst));
  }

  void row_command() {
    if (must_refresh_ && refresh_command()) return;
    const bool done = each([&](Access& access) {
      BankState& bank = banks_[static_cast<std::size_t>(access.bank)];
      if (is_write(access) != writing_ || in_refresh(access.bank) || !may_respond(flits_[access.flit])) return false;
      if (bank.row < 0) {
        if (!legal('A', access.bank)) return false;
        bank.why_opened = reason_of('A', access, 2);
        open(access);
        return true;
      }
      if (bank.row == access.row || !legal('P', access.bank)) return false;
      if (has_hit(access.bank, false, nullptr) && !capped(access.bank)) return false;
      close(access.bank, reason_of('P', access, step_), flits_[access.flit].burst.transaction, true);
      return true;
    });
    if (done || c_.pages != dram::PagePolicy::timeout) return;
    for (int bank = 0; bank < 2 * per_pc(); ++bank) {
      const BankState& state = banks_[static_cast<std::size_t>(bank)];
      if (state.row < 0 || in_refresh(bank) || now_ < state.used + 2 * c_.timeout_ticks) continue;
      if (!legal('P', bank) || has_hit(bank, true, nullptr)) continue;
      close(bank, {now_, Cause::row}, 0, false);
      return;
    }
  }
  void open(const Access& access) {
    BankState& bank = banks_[static_cast<std::size_t>(access.bank)];
    bank.row = access.row;
    bank.opened = bank.used = now_;
    bank.hits = 0;
    ++result_.statistics.acts;
    issue('A', access.bank, access.row, flits_[access.flit].burst.transaction);
    row_free_ = now_ + c_.standard.act_halves;
  }
  void close(int index, Reason why, std::uint64_t transaction, bool conflict) {
    BankState& bank = banks_[static_cast<std::size_t>(index)];
    bank.row = -1;
    bank.closed = now_;
    bank.why_closed = why;
    bank.conflict = conflict;
    issue('P', index, 0, transaction);
    row_free_ = now_ + c_.standard.pre_halves;
  }
  bool refresh_command() {
    const bool one = c_.refresh == dram::RefreshMode::per_bank;
    const int first = one ? unit_ : unit_ * per_pc(), count = one ? 1 : per_pc();
    bool closed = true;
    for (int bank = first; bank < first + count; ++bank) {
      if (banks_[static_cast<std::size_t>(bank)].row < 0) continue;
      closed = false;
      if (!legal('P', bank)) continue;
      close(bank, {now_, Cause::refresh}, 0, false);
      return true;
    }
    if (!closed || !legal(one ? 'b' : 'a', first)) return false;
    issue(one ? 'b' : 'a', first, 0, 0);
    const Edge until = now_ + 2 * (one ? t_.rfcpb : t_.rfc) + c_.standard.pre_halves - c_.standard.act_halves;
    for (int bank = first; bank < first + count; ++bank) {
      banks_[static_cast<std::size_t>(bank)].refresh_begin = now_;
      banks_[static_cast<std::size_t>(bank)].refresh_end = until + until % 2;
    }
    ++refreshes_done_;
    ++result_.statistics.refreshes;
    row_free_ = now_ + c_.standard.pre_halves;
    return true;
  }

  const dram::ChannelConfig& c_;
  const dram::Timing& t_;
  const dram::Geometry& g_;
  const std::function<TimeFs(const Burst&)> hold_;
  Edge half_, step_;
  PlainTimes times_;
  std::vector<Flit> flits_;
  std::vector<BankState> banks_;
  std::vector<std::size_t> queue_;  // flits in the order of entry
  std::size_t next_ = 0;
  std::vector<std::size_t> latest_;  // answered at this edge
  std::map<Edge, int> due_;          // response entries that become usable
  int free_;
  Edge now_ = 0, row_free_ = 0;
  bool writing_ = false, must_refresh_ = false;
  int unit_ = 0;
  std::int64_t refreshes_due_ = 0, refreshes_done_ = 0;
  std::array<int, 2> direction_{-1, -1};
  PlainDramResult result_;
};

}  // namespace

PlainDramResult run_plain_dram(const dram::ChannelConfig& config, const std::vector<Burst>& bursts,
                               const std::function<TimeFs(const Burst&)>& hold, TimeFs end) {
  PlainDram channel(config, hold);
  for (const Burst& burst : bursts) channel.push(burst);
  while (!channel.is_done() || channel.next_edge() <= end) channel.look();
  return std::move(channel.result());
}

struct PlainChannel::Impl {
  dram::ChannelConfig config;
  PlainDram dram{config, {}};
};

PlainChannel::PlainChannel(const dram::ChannelConfig& config) : impl_(new Impl{config}) {}
PlainChannel::~PlainChannel() = default;
void PlainChannel::push(const Burst& burst) {
  impl_->dram.push(burst);
}
void PlainChannel::release(TimeFs taken) {
  impl_->dram.release(taken);
}
TimeFs PlainChannel::next_edge() const {
  return impl_->dram.next_edge();
}
void PlainChannel::look() {
  impl_->dram.look();
}
const PlainDramResult& PlainChannel::result() const {
  return impl_->dram.result();
}
const std::vector<std::size_t>& PlainChannel::answered() const {
  return impl_->dram.latest();
}

}  // namespace kb::test

#include "platform/resource/resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "platform/base/error.h"

namespace kb::resource {

namespace {

// How long an access waited before its use.
TimeFs before(const Part& part) {
  TimeFs time = 0_fs;
  for (const Part::Wait& wait : part.waits) {
    if (!wait.inside) accumulate(time, wait.time);
  }
  return time;
}

}  // namespace

TimeFs Resource::Sums::wait() const {
  return std::accumulate(waits.begin(), waits.end(), 0_fs);
}

Resource::Resource(Declaration declaration, std::string owner, std::vector<record::RecordedResource> recorded,
                   Clock clock, Viewers viewers)
    : declaration_(std::move(declaration)),
      owner_(std::move(owner)),
      recorded_(std::move(recorded)),
      clock_(std::move(clock)),
      units_(declaration_.units),
      ends_(declaration_.units),
      coming_(recorded_.size()),
      viewers_(std::move(viewers)) {
  sums_.waits.resize(declaration_.causes.size());
}

void Resource::use(std::uint32_t unit, TimeFs begin, TimeFs end, const Part* parts, std::size_t count) {
  check(unit, begin, end, parts, count);
  ends_[unit] = end;
  record::Usage usage;
  usage.begin = begin;
  usage.end = end;
  for (const Part* part = parts; part != parts + count; ++part) {
    account::Sums sums{part->service, 0_fs, part->bytes, 1};
    for (const Part::Wait& wait : part->waits) {
      accumulate(sums_.waits[wait.cause], wait.time);
      accumulate(sums.wait, wait.time);
    }
    usage.busy += sums.busy;
    accumulate(usage.wait, sums.wait);
    usage.bytes += sums.bytes;
    if (!recorded_.empty()) recorded_[unit].account->add(part->place, sums);
  }
  sums_.uses += count;
  sums_.bytes += usage.bytes;
  accumulate(sums_.busy, usage.busy);
  accumulate(units_[unit].busy, usage.busy);
  accumulate(units_[unit].wait, usage.wait);
  if (is_shown()) show(unit, begin, end, parts, count);
  if (coming_.empty() || end == begin) return;
  coming_[unit].push_back(usage);
  if (coming_[unit].size() % kHeldBack == 0) record_until(clock_());
}

void Resource::check(std::uint32_t unit, TimeFs begin, TimeFs end, const Part* parts, std::size_t count) const {
  if (unit >= declaration_.units) {
    refuse(fmt::format("tells a use of unit {}, but declares units 0 to {}", unit, declaration_.units - 1));
  }
  if (end < begin) {
    refuse(fmt::format("tells a use that ends at {} ns, before it begins at {} ns", format_ns(end), format_ns(begin)));
  }
  if (begin < ends_[unit]) {
    refuse(
        fmt::format("tells a use of unit {} from {} ns on, but one until {} ns was told before: tell each use once, in "
                    "the order of time",
                    unit, format_ns(begin), format_ns(ends_[unit])));
  }
  TimeFs service = 0_fs;
  for (const Part* part = parts; part != parts + count; ++part) {
    if (part->service < 0_fs) refuse("tells a negative service time");
    accumulate(service, part->service);
    for (const Part::Wait& wait : part->waits) {
      if (wait.cause >= declaration_.causes.size()) {
        refuse(
            fmt::format("tells a wait for cause {}, but declares {} causes", wait.cause, declaration_.causes.size()));
      }
      if (wait.time < 0_fs) {
        refuse(fmt::format("tells a negative wait for '{}'", declaration_.causes[wait.cause].name));
      }
    }
  }
  if (service > end - begin) {
    refuse(fmt::format("tells {} ns of service in a use of {} ns", format_ns(service), format_ns(end - begin)));
  }
  if (declaration_.told == Told::ahead && clock_) check_ahead(begin, parts, count);
}

void Resource::check_ahead(TimeFs begin, const Part* parts, std::size_t count) const {
  const TimeFs now = clock_();
  for (const Part* part = parts; part != parts + count; ++part) {
    const TimeFs since = begin - before(*part);
    if (since >= now) continue;
    refuse(
        fmt::format("declares to tell uses ahead, but tells at {} ns one whose wait or use began at {} ns: leave "
                    "Told::ahead out",
                    fs_to_ns(now), fs_to_ns(since)));
  }
}

void Resource::show(std::uint32_t unit, TimeFs begin, TimeFs end, const Part* parts, std::size_t count) {
  record::Usage usage{begin, end};
  std::vector<Part::Wait> waits;
  const TimeFs earliest = declaration_.told == Told::late && clock_ ? clock_() - kMostLate : 0_fs;
  for (const Part* part = parts; part != parts + count; ++part) {
    usage.bytes += part->bytes;
    TimeFs outside = begin - before(*part), inside = begin;
    for (const Part::Wait& wait : part->waits) {
      if (wait.time == 0_fs) continue;
      waits.push_back(wait);
      TimeFs& from = wait.inside ? inside : outside;
      const TimeFs shown = std::max(from, earliest);
      from += wait.time;
      if (viewers_.waves && from > shown) viewers_.waves->add_wait(unit, shown, from, wait.cause, begin);
    }
  }
  if (viewers_.waves && end > std::max(begin, earliest)) viewers_.waves->add_use(unit, std::max(begin, earliest), end);
  if (viewers_.log) write_log(unit, usage, waits);
}

void Resource::show_in_order(std::uint32_t unit, TimeFs entry, const record::Usage& usage, std::size_t cause) {
  if (viewers_.waves) {
    viewers_.waves->add_use(unit, usage.begin, usage.end);
    viewers_.waves->show_waits_until(unit, entry);
    if (entry < usage.begin) viewers_.waves->add_wait(unit, entry, usage.begin, cause, usage.begin);
  }
  if (!viewers_.log) return;
  write_log(unit, usage, usage.wait > 0_fs ? std::vector<Part::Wait>{{cause, usage.wait}} : std::vector<Part::Wait>());
}

void Resource::write_log(std::uint32_t unit, const record::Usage& usage, const std::vector<Part::Wait>& waits) const {
  std::string text = fmt::format("keeps {} busy from {} to {} ns for ", declaration_.label(unit),
                                 format_ns(usage.begin), format_ns(usage.end));
  text += usage.bytes > 0 ? fmt::format("{} B", usage.bytes) : "an access";
  const char* joint = " that waited ";
  for (const Part::Wait& wait : waits) {
    text += fmt::format("{}{} ns ({})", joint, format_ns(wait.time), declaration_.causes[wait.cause].name);
    joint = " and ";
  }
  viewers_.log(text);
}

void Resource::refuse(const std::string& what) const {
  throw Error::model(fmt::format("{}: its resource '{}' {}", owner_, declaration_.name, what));
}

// A series takes a use that reaches beyond the current time only where the one before ended, so that uses wait here
// until they are over.
void Resource::record_until(TimeFs now) {
  for (std::size_t unit = 0; unit < coming_.size(); ++unit) {
    std::deque<record::Usage>& uses = coming_[unit];
    for (; !uses.empty() && uses.front().end <= now; uses.pop_front()) recorded_[unit].series->add(uses.front());
  }
}

}  // namespace kb::resource

#include "modules/pe/pe_activity.h"

#include "platform/contract/share_words.h"

namespace kb::modules {

using contract::PeResource;
using contract::share_index;
using contract::TimeShare;

PeActivity::PeActivity() : shares_(std::make_unique<contract::TimeShares>()) {}
PeActivity::~PeActivity() = default;

void PeActivity::moved(PeResource resource, TimeFs occupancy) {
  accumulate(shares_->busy[static_cast<std::size_t>(resource)], occupancy);
}

contract::TimeShares PeActivity::until(TimeFs now) {
  accrue(now);
  contract::TimeShares out = *shares_;
  const auto per_unit = [&](PeResource resource, std::int64_t units) {
    out.busy[static_cast<std::size_t>(resource)] /= units;
  };
  per_unit(PeResource::read_channel, readers_);
  per_unit(PeResource::write_channel, writers_);
  return out;
}

const std::array<TimeFs, contract::kShares>& PeActivity::times(TimeFs now) {
  accrue(now);
  return shares_->time;
}

TimeShare PeActivity::idle_share(bool moving) const {
  if (moving && count(Kind::waiting) > 0) return TimeShare::channel_busy;
  if (count(Kind::fetch) > 0 || count(Kind::store) > 0) return TimeShare::tcm;
  if (moving) return TimeShare::dma;
  return count(Kind::scalar) > 0 ? TimeShare::scalar : TimeShare::dependency;
}

void PeActivity::accrue(TimeFs now) {
  const TimeFs time = now - since_;
  if (time == 0_fs) return;
  const auto busy = [&](PeResource resource, std::int64_t units, record::ActivitySeries* recorded) {
    if (units == 0) return;
    std::int64_t sum = 0;
    const bool overflow = __builtin_mul_overflow(units, time.fs(), &sum);
    accumulate(shares_->busy[static_cast<std::size_t>(resource)], overflow ? kNever : TimeFs(sum));
    if (recorded != nullptr) recorded->add({since_, now, time_product(units, time)});
  };
  // Engines that do not share a slot may compute at once (shared_resource none): the PE then computes, once.
  const std::size_t engine = computing();
  const bool computes = engine < engine::kMaxEngines;
  busy(PeResource::compute, computes ? 1 : 0, series_.compute.series);
  if (computes && series_.compute) series_.compute.account->add(places_[engine], {time, 0_fs, 0, 0});
  // accessed_tcm() tells their series, with the bytes.
  busy(PeResource::tcm_read, count(Kind::fetch), nullptr);
  busy(PeResource::tcm_write, count(Kind::store), nullptr);
  // held_channel() tells their accounts, with the waits.
  busy(PeResource::read_channel, count(Kind::reading), series_.read_channel.series);
  busy(PeResource::write_channel, count(Kind::writing), series_.write_channel.series);

  const auto add = [&](std::size_t share, TimeFs part) {
    shares_->time[share] += part;
    const TimeFs begin = share == share_index(TimeShare::tlb) ? since_ : now - part;  // a translation comes first
    if (!running_ || part == 0_fs || series_.shares.empty()) return;
    series_.shares[share]->add({begin, begin + part, part});
  };
  if (computes) {
    add(engine, time);  // the first of them
  } else if (count(Kind::queue_full) > 0) {
    add(share_index(TimeShare::queue_full), time);
  } else {
    const bool moving = count(Kind::reading) > 0 || count(Kind::writing) > 0;
    const TimeFs translating = moving ? std::clamp(translated_ - since_, 0_fs, time) : 0_fs;
    add(share_index(TimeShare::tlb), translating);
    add(share_index(idle_share(moving)), time - translating);
  }
  since_ = now;
}

}  // namespace kb::modules

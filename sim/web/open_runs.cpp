#include "sim/web/open_runs.h"

#include <algorithm>
#include <utility>

namespace kb::web {

std::shared_ptr<OpenRuns::Slot> OpenRuns::slot(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const auto& one) { return one->key == key; });
  if (found != slots_.end()) {
    slots_.splice(slots_.begin(), slots_, found);
    return slots_.front();
  }
  slots_.push_front(std::make_shared<Slot>());
  slots_.front()->key = key;
  if (slots_.size() > kMost) slots_.pop_back();
  return slots_.front();
}

HttpResponse OpenRuns::answer(const std::string& in, const std::string& against, const HttpRequest& request) {
  const analysis::RunList::Place place = runs_.place_of(in);
  const analysis::RunList::Place other = against.empty() ? analysis::RunList::Place() : runs_.place_of(against);
  const std::shared_ptr<Slot> slot = this->slot(place.state + '\n' + other.state);
  std::shared_ptr<const OpenRun> run;
  {
    const std::lock_guard lock(slot->opening);
    if (!slot->run) slot->run = std::make_shared<const OpenRun>(place.folder, "", other.folder);
    run = slot->run;
  }
  run->rethrow_failure();
  HttpResponse response = run->answer(request);
  // Keeps the run open while a long answer is sent, because the run may have left the list.
  if (response.next_piece) {
    response.next_piece = [run, next = std::move(response.next_piece)](std::string& piece) { return next(piece); };
  }
  return response;
}

std::size_t OpenRuns::open() const {
  const std::lock_guard lock(mutex_);
  return slots_.size();
}

void OpenRuns::stop() const {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Slot>& slot : slots_) {
    const std::lock_guard opening(slot->opening);
    if (slot->run) slot->run->stop();
  }
}

}  // namespace kb::web

#include "modules/command/fan_out.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/names.h"

namespace kb::modules {
namespace {

using contract::PeResult;

bool by_coordinate(const PeResult& a, const PeResult& b) {
  return a.pe < b.pe;
}

// True when `text` contains `place` as a whole name ("sip0.cube12" does not contain "sip0.cube1").
bool names_place(const std::string& text, const std::string& place) {
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + 1)) {
    const std::size_t end = at + place.size();
    if (end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0) return true;
  }
  return false;
}

// Removes the place, so that equal causes at two PEs compare equal.
std::string without_place(std::string text, const std::string& place) {
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at))
    text.erase(at, place.size());
  return text;
}

std::string placed(const std::string& place, const std::string& message) {
  return names_place(message, place) ? message : place + ": " + message;
}

}  // namespace

FanOut::FanOut(contract::FailurePolicy policy, std::string noun, std::vector<Branch> branches, TimeFs since)
    : policy_(policy),
      noun_(std::move(noun)),
      branches_(std::move(branches)),
      has_answered_(branches_.size(), false),
      since_(since) {}

bool FanOut::answer(std::size_t branch, const payload::Status& status, const payload::LaunchReply* reply) {
  if (branch >= branches_.size()) throw Error::model("an answer came for a sub-request that was never sent");
  if (has_answered_[branch]) throw Error::model(branches_[branch].place + " answered the same request twice");
  has_answered_[branch] = true;
  ++answered_;
  if (is_settled_) return false;

  std::vector<PeResult> results = reply != nullptr ? reply->pes : std::vector<PeResult>{};
  const bool any_error =
      std::any_of(results.begin(), results.end(), [](const PeResult& r) { return !r.error_code.empty(); });
  if (!status.ok || any_error) {
    record_failure(branches_[branch], status, std::move(results));
  } else {
    results_.insert(results_.end(), results.begin(), results.end());
  }
  std::sort(results_.begin(), results_.end(), by_coordinate);
  is_settled_ = drained() || (policy_ == contract::FailurePolicy::fail_fast && !failures_.empty());
  return is_settled_;
}

void FanOut::record_failure(const Branch& branch, const payload::Status& status, std::vector<PeResult> results) {
  const std::size_t before = failures_.size();
  for (const PeResult& result : results) {
    if (result.error_code.empty()) continue;
    failures_.push_back({result.pe, pe_name(result.pe), result.error_code, result.error_message});
  }
  if (failures_.size() == before) {  // the receiver itself refused, or failed without naming a PE
    failures_.push_back({branch.at, branch.place, status.code, status.message});
    if (branch.at.pe.valid()) {
      PeResult failed = results.empty() ? PeResult{} : results.front();
      failed.pe = branch.at;
      failed.error_code = status.code;
      failed.error_message = status.message;
      results.assign(1, failed);
    }
  }
  results_.insert(results_.end(), results.begin(), results.end());
}

payload::Status FanOut::status() const {
  if (failures_.empty()) return {};
  if (policy_ == contract::FailurePolicy::fail_fast || failures_.size() == 1) {
    const Failure& first = failures_.front();
    return {false, first.code, placed(first.place, first.message)};
  }
  // sorted by place, so that the text does not depend on the order of the answers
  std::vector<Failure> ordered = failures_;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Failure& a, const Failure& b) { return a.at < b.at; });
  std::string list, causes;
  std::set<std::pair<std::string, std::string>> reported;  // reported pairs of code and message, without the place
  for (const Failure& failure : ordered) {
    list += (list.empty() ? "" : ", ") + failure.place;
    if (!reported.emplace(failure.code, without_place(failure.message, failure.place)).second) continue;
    const std::string code = failure.code == ordered.front().code ? "" : "(" + failure.code + ") ";
    causes += "; cause " + code + "at " + placed(failure.place, failure.message);
  }
  return {false, ordered.front().code, std::to_string(ordered.size()) + " failed: " + list + causes};
}

std::string FanOut::missing() const {
  std::string names;
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    if (!has_answered_[i]) names += (names.empty() ? "" : ", ") + branches_[i].name;
  }
  return std::to_string(branches_.size() - answered_) + " of " + std::to_string(branches_.size()) + " " + noun_ + ": " +
         names;
}

}  // namespace kb::modules

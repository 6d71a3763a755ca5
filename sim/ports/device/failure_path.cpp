#include "sim/ports/device/failure_path.h"

#include <fmt/format.h>

#include <utility>

namespace kb::sim {
namespace {

constexpr const char* kReportId = "kernbench";

}  // namespace

FailurePath::FailurePath(const sc_core::sc_module_name& name, std::string device, OnFailure on_failure,
                         IFailureActions& owner)
    : sc_core::sc_module(name), device_(std::move(device)), on_failure_(on_failure), owner_(owner) {
  SC_HAS_PROCESS(FailurePath);
  SC_METHOD(fail_method);
  dont_initialize();
  sensitive << fail_event_;
  SC_METHOD(report_method);
  dont_initialize();
  sensitive << tell_event_;
}

void FailurePath::fail(const Error& error) {
  if (failure_) return;
  failure_.emplace(error);
  step_ = Step::abandon;
  owner_.stop_engine(error.what(), fail_event_);
}

void FailurePath::fail(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Error& error) {
    fail(error);
  } catch (const std::exception& error) {
    fail(Error::model(error.what()));
  } catch (...) {
    fail(Error::model("an object that is not a std::exception was thrown"));
  }
}

const char* FailurePath::code_of(modules::OutsideFault::Kind kind) {
  switch (kind) {
    case modules::OutsideFault::Kind::breach:
      return "PROTOCOL_ERROR";
    case modules::OutsideFault::Kind::memory_error:
      return "MEMORY_ERROR";
    case modules::OutsideFault::Kind::driver_mistake:
      return "DRIVER_ERROR";
  }
  return "";
}

void FailurePath::note(const modules::OutsideFault& fault) {
  if (rules_.empty()) first_kind_ = fault.kind;
  if (++rules_[fault.rule] > kToldPerRule) return;
  problems_.push_back(fault.text);
  if (on_failure_ == OnFailure::error && fault.kind != modules::OutsideFault::Kind::driver_mistake) {
    fail(Error::program(code_of(fault.kind), fault.text));
    return;
  }
  to_tell_.push_back(fault.text);
  tell_event_.notify(sc_core::SC_ZERO_TIME);
}

std::vector<std::string> FailurePath::problems() const {
  std::vector<std::string> all = problems_;
  for (const auto& [rule, count] : rules_) {
    if (count > kToldPerRule) all.push_back(fmt::format("and {} more: {}", count - kToldPerRule, rule));
  }
  return all;
}

void FailurePath::report_method() {
  while (!to_tell_.empty()) {
    const std::string text = std::move(to_tell_.front());
    to_tell_.pop_front();
    report(sc_core::SC_WARNING, text);
  }
}

void FailurePath::fail_method() {
  switch (step_) {
    case Step::abandon:
      owner_.abandon(failure_->what());
      step_ = Step::settle;
      unfinished_ = owner_.unfinished();
      break;
    case Step::settle:
      if (!has_settled()) break;
      step_ = Step::announced;
      owner_.announce();
      failed_event_.notify(sc_core::SC_ZERO_TIME);
      break;
    case Step::announced:  // processes that wait for the events run now
      step_ = Step::report;
      break;
    case Step::report:
      step_ = Step::ended;
      report(on_failure_ == OnFailure::error ? sc_core::SC_ERROR : sc_core::SC_WARNING, failure_text());
      return;
    default:
      return;
  }
  fail_event_.notify(sc_core::SC_ZERO_TIME);
}

// A host program that waits for an event of another model cannot be unwound, and an initiator may never end a response.
bool FailurePath::has_settled() {
  const std::size_t unfinished = owner_.unfinished();
  unchanged_ = std::exchange(unfinished_, unfinished) == unfinished ? unchanged_ + 1 : 0;
  return unfinished == 0 || unchanged_ >= kPatience;
}

std::string FailurePath::failure_text() const {
  return fmt::format("{} fails with {}: {}", device_, failure_->code(), failure_->what());
}

void FailurePath::report(sc_core::sc_severity severity, const std::string& text) {
  sc_core::sc_report_handler::report(severity, kReportId, text.c_str(), __FILE__, __LINE__);
}

}  // namespace kb::sim

#include "platform/elab/foreign_call.h"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "platform/base/error.h"

namespace kb::elab {
namespace {

constexpr const char* kCode = "BLOCK_ERROR";

std::string named(const topology::Node& node) {
  return fmt::format("{} ({})", node.id, node.impl);
}

std::exception_ptr named_error(const topology::Node& node, TimeFs now) {
  const auto error = [&](const char* what) {
    return std::make_exception_ptr(
        Error(ErrorFamily::model, kCode, fmt::format("{} threw at {} ns: {}", named(node), format_ns(now), what)));
  };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return std::current_exception();
  } catch (const Error& thrown) {
    return std::make_exception_ptr(Error(thrown.family(), thrown.code(), named(node) + ": " + thrown.what()));
  } catch (const std::exception& thrown) {
    return error(thrown.what());
  } catch (...) {
    return error("an object that is not a std::exception");
  }
}

}  // namespace

UserCodeScope::UserCodeScope(const topology::Node& node, TimeFs now) : before_(EventScheduler::foreground().view()) {
  if (node.foreign) {
    EventScheduler::foreground().enter(UserCode::block, node.impl.c_str(), node.id.c_str(), now);
  } else {
    EventScheduler::foreground().leave();
  }
}

UserCodeScope::~UserCodeScope() {
  EventScheduler::foreground().enter(before_.code, before_.name, before_.place, before_.since);
}

void fail_with_current_exception(const topology::Node& node, EventScheduler& scheduler) {
  scheduler.fail(node.foreign ? named_error(node, scheduler.now()) : std::current_exception());
}

void fail_for(const topology::Node& node, EventScheduler& scheduler, const std::string& what,
              const std::string& remedy) {
  scheduler.fail(std::make_exception_ptr(
      Error(ErrorFamily::model, kCode,
            fmt::format("{} {} at {} ns; {}", named(node), what, format_ns(scheduler.now()), remedy))));
}

}  // namespace kb::elab

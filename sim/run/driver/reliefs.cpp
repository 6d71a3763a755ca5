#include "sim/run/driver/reliefs.h"

#include <fmt/format.h>

#include <charconv>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::sim {
namespace {

constexpr const char *kNoWait = "no-wait", *kCopies = "copies", *kWork = "work", *kHostCopies = "host-copies";

[[noreturn]] void refuse(const std::string& text, const std::string& problem) {
  throw Error::configuration("--relief " + text + ": " + problem);
}

Reliefs::Work work_of(const std::string& text, const std::string& value) {
  const std::size_t colon = value.rfind(':');
  const std::string number = colon == std::string::npos ? "" : value.substr(colon + 1);
  Reliefs::Work work{value.substr(0, colon), 0};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), work.share);
  const bool whole = error == std::errc() && end == number.data() + number.size();
  if (!whole || !(work.share >= 0 && work.share < 1) || work.pes.empty()) {
    refuse(text, "write PE:SHARE with the share of its work that remains, 0 to less than 1, e.g. sip0.cube0.pe2:0.25");
  }
  return work;
}

}  // namespace

void add_relief(const std::string& text, Reliefs& reliefs) {
  const std::size_t equals = text.find('=');
  const std::string kind = text.substr(0, equals), value = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (kind == kHostCopies) {
    if (equals != std::string::npos) refuse(text, "host-copies has no value");
    reliefs.host_copies = true;
    return;
  }
  if (kind != kNoWait && kind != kCopies && kind != kWork) {
    refuse(text, suggest(kind, {kNoWait, kCopies, kWork, kHostCopies}));
  }
  if (value.empty()) refuse(text, fmt::format("write {}=NAME", kind));
  if (kind == kWork) {
    reliefs.work.push_back(work_of(text, value));
  } else {
    (kind == kNoWait ? reliefs.no_wait : reliefs.copies).push_back(value);
  }
}

std::vector<std::string> texts_of(const Reliefs& reliefs) {
  std::vector<std::string> texts;
  for (const std::string& line : reliefs.no_wait) texts.push_back(fmt::format("{}={}", kNoWait, line));
  for (const std::string& tensor : reliefs.copies) texts.push_back(fmt::format("{}={}", kCopies, tensor));
  for (const Reliefs::Work& work : reliefs.work) texts.push_back(fmt::format("{}={}:{}", kWork, work.pes, work.share));
  if (reliefs.host_copies) texts.emplace_back(kHostCopies);
  return texts;
}

}  // namespace kb::sim

#include "sim/study/sweep/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/base/split.h"

namespace kb::sweep {
namespace {

constexpr std::array<const char*, 6> kReductions{"", "max", "min", "sum", "mean", "count"};
constexpr const char* kAll = "*";

// "~1" is a slash and "~0" a tilde, as in every JSON pointer.
std::string unescaped(const std::string& token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char next = token[i] == '~' && i + 1 < token.size() ? token[i + 1] : '\0';
    if (next == '0' || next == '1') ++i;
    text += next == '0' ? '~' : next == '1' ? '/' : token[i];
  }
  return text;
}

const Json* entry_of(const Json& list, const std::string& token) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error == std::errc{} && end == token.data() + token.size()) return index < list.size() ? &list[index] : nullptr;
  for (const Json& entry : list) {
    if (!entry.is_object()) continue;
    const auto name = entry.find("name");
    if (name != entry.end() && name->is_string() && name->get_ref<const std::string&>() == token) return &entry;
  }
  return nullptr;
}

std::vector<std::string> names_in(const Json& at) {
  std::vector<std::string> names;
  if (at.is_object()) {
    for (const auto& [key, value] : at.items()) names.push_back(key);
  } else if (at.is_array()) {
    for (const Json& entry : at) {
      if (entry.is_object() && entry.contains("name") && entry["name"].is_string()) names.push_back(entry["name"]);
    }
  }
  return names;
}

[[noreturn]] void fail_selector(const std::string& message) {
  throw Error::program("NO_SUCH_RESULT", message);
}

double number_in(const Json& value, const std::string& text) {
  if (!value.is_number()) fail_selector(fmt::format("{} meets {}, which is not a number", text, value.dump()));
  return value.get<double>();
}

}  // namespace

bool Selector::is_selector(const std::string& text) {
  if (!text.empty() && text.front() == '/') return true;
  const std::size_t space = text.find(" /");
  return space != std::string::npos &&
         std::find(kReductions.begin() + 1, kReductions.end(), text.substr(0, space)) != kReductions.end();
}

Selector::Selector(const std::string& text) : text_(text) {
  const std::size_t slash = text.find('/');
  if (slash > 0) {
    const auto found = std::find(kReductions.begin(), kReductions.end(), text.substr(0, slash - 1));
    reduction_ = static_cast<Reduction>(found - kReductions.begin());
  }
  for (const std::string& token : split(std::string_view(text).substr(slash + 1), '/')) {
    tokens_.push_back(unescaped(token));
  }
  if (tokens_.front().empty()) throw Error::configuration("the pointer names nothing in the result");
  const bool many = std::count(tokens_.begin(), tokens_.end(), kAll) > 0;
  if (many && reduction_ == Reduction::none) {
    throw Error::configuration("* stands for many values; write max, min, sum, mean or count before the pointer");
  }
  if (!many && reduction_ != Reduction::none) {
    throw Error::configuration("there is one value only; put * where all entries of a list are meant");
  }
}

bool Selector::mentions(const std::string& token) const {
  return std::find(tokens_.begin(), tokens_.end(), token) != tokens_.end();
}

std::string Selector::path(std::size_t depth) const {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "/" + tokens_[i];
  return text.empty() ? "the result" : text;
}

void Selector::collect(const Json& at, std::size_t depth, std::vector<Json>& found) const {
  if (depth == tokens_.size()) {
    if (at.is_structured()) {
      fail_selector(fmt::format("{} is {}, not one value; go on to what is in it: {}", path(depth),
                                at.is_array() ? "a list" : "an object", suggest("", names_in(at))));
    }
    found.push_back(at);
    return;
  }
  const std::string& token = tokens_[depth];
  if (token == kAll && at.is_structured()) {
    for (const Json& entry : at) collect(entry, depth + 1, found);
    return;
  }
  const Json* next = nullptr;
  if (at.is_object() && at.contains(token)) next = &at[token];
  if (at.is_array()) next = entry_of(at, token);
  if (next == nullptr) {
    const std::string entries = at.is_array() ? fmt::format(" ({} entries)", at.size()) : std::string();
    const std::vector<std::string> names = names_in(at);
    fail_selector(fmt::format("{}{} has no '{}'{}", path(depth), entries, token,
                              names.empty() ? "" : "; " + suggest(token, names)));
  }
  collect(*next, depth + 1, found);
}

Json Selector::select(const Json& result) const {
  std::vector<Json> found;
  collect(result, 0, found);
  if (reduction_ == Reduction::none) return found.front();
  if (reduction_ == Reduction::count) return found.size();
  found.erase(std::remove_if(found.begin(), found.end(), [](const Json& value) { return value.is_null(); }),
              found.end());
  if (found.empty()) return nullptr;
  const auto less = [&](const Json& a, const Json& b) { return number_in(a, text_) < number_in(b, text_); };
  for (const Json& value : found) number_in(value, text_);
  if (reduction_ == Reduction::max) return *std::max_element(found.begin(), found.end(), less);
  if (reduction_ == Reduction::min) return *std::min_element(found.begin(), found.end(), less);
  const bool whole =
      std::all_of(found.begin(), found.end(), [](const Json& value) { return value.is_number_integer(); });
  if (whole && reduction_ == Reduction::sum) {
    return std::accumulate(found.begin(), found.end(), std::int64_t{0},
                           [](std::int64_t sum, const Json& value) { return sum + value.get<std::int64_t>(); });
  }
  const double sum = std::accumulate(found.begin(), found.end(), 0.0,
                                     [](double total, const Json& value) { return total + value.get<double>(); });
  return reduction_ == Reduction::sum ? sum : sum / static_cast<double>(found.size());
}

}  // namespace kb::sweep

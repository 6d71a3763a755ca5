#include "platform/model/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "platform/base/split.h"
#include "platform/base/whole_number.h"

namespace kb::model {
namespace {

constexpr std::int64_t kMostSequences = 1'000'000, kMostContext = 1'000'000'000;
constexpr std::int64_t kMostPairs = std::int64_t{1} << 50;

std::int64_t number_in(const std::string& text, const std::string& entry, std::int64_t high) {
  std::int64_t value = 0;
  if (parse_whole(text, value) == std::errc{} && value >= 1 && value <= high) return value;
  throw Error::configuration(
      fmt::format("--batch: '{}' in '{}' is not a whole number from 1 to {}; write sequences, or sequences x tokens "
                  "as in 4x1024,1x64",
                  text, entry, high));
}

}  // namespace

std::int64_t Sequences::pairs(std::int64_t window) const {
  const std::int64_t widest = window == 0 ? context() : std::min(window, context());
  // Token i of the new ones sees past + i + 1 keys until these are `widest`.
  const std::int64_t growing = std::max<std::int64_t>(0, std::min(tokens, widest - past));
  return growing * past + growing * (growing + 1) / 2 + (tokens - growing) * widest;
}

std::int64_t Sequences::keys(std::int64_t window) const {
  return window == 0 ? context() : std::min(context(), window + tokens - 1);
}

std::int64_t Batch::size() const {
  std::int64_t sum = 0;
  for (const Sequences& one : sequences) sum += one.count;
  return sum;
}

std::int64_t Batch::tokens() const {
  std::int64_t sum = 0;
  for (const Sequences& one : sequences) sum += one.count * one.tokens;
  return sum;
}

std::int64_t Batch::longest_context() const {
  std::int64_t longest = 0;
  for (const Sequences& one : sequences) longest = std::max(longest, one.context());
  return longest;
}

std::int64_t Batch::cached_tokens(std::int64_t window) const {
  std::int64_t sum = 0;
  for (const Sequences& one : sequences) sum += one.count * ceil_div(one.keys(window), kCacheBlock) * kCacheBlock;
  return sum;
}

std::string Batch::text() const {
  std::string out;
  for (const Sequences& one : sequences) {
    out += (out.empty() ? "" : ", ") + (phase == Phase::decode ? fmt::format("{} x {}", one.count, one.context())
                                                               : fmt::format("{} x {}", one.count, one.tokens));
    if (phase == Phase::prefill && one.past > 0) out += fmt::format(" after {}", one.past);
  }
  return out;
}

Batch make_batch(const BatchChoice& choice) {
  Batch batch;
  batch.phase = choice.phase;
  const bool decode = choice.phase == Phase::decode;
  for (const std::string& entry : split(choice.sequences, ',')) {
    const std::vector<std::string> parts = split(entry, 'x');
    if (parts.size() > 2) number_in(entry, entry, kMostSequences);
    Sequences one;
    one.count = number_in(parts[0], entry, kMostSequences);
    const std::int64_t given =
        parts.size() == 2 ? number_in(parts[1], entry, kMostContext) : (decode ? choice.context : choice.tokens);
    one.tokens = decode ? 1 : given;
    one.past = decode ? given - 1 : choice.context;
    if (static_cast<double>(one.count) * static_cast<double>(one.tokens) * static_cast<double>(one.context()) >
        static_cast<double>(kMostPairs)) {
      throw Error::configuration(fmt::format("--batch: '{}' has more than 2^50 pairs of tokens and keys", entry));
    }
    batch.sequences.push_back(one);
  }
  return batch;
}

}  // namespace kb::model

// LLMServingSim's traces: JSON objects, one per line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "platform/base/nearest.h"
#include "sim/study/files/json_file.h"
#include "sim/study/requests/input_text.h"
#include "sim/study/requests/request_file.h"

namespace kb::requests {
namespace {

using Json = nlohmann::ordered_json;
using serving::Request;

const std::vector<std::string> kCallKeys = {"input_toks",     "output_toks", "arrival_time_ns",  "input_tok_ids",
                                            "output_tok_ids", "block_ids",   "tool_duration_ns", "session_id"};
const std::vector<std::string> kSessionKeys = {"session_id", "arrival_time_ns", "sub_requests"};
constexpr std::int64_t kIdsPerBlock = 16;  // tokens of an element of block_ids

// Numbers of equal texts: a block is the text before it and its tokens.
class TextNumbers {
 public:
  std::vector<std::int64_t> of_tokens(const std::vector<std::int64_t>& tokens, std::int64_t block_size) {
    std::vector<std::int64_t> numbers;
    std::int64_t before = -1;
    for (std::size_t i = 0; i + static_cast<std::size_t>(block_size) <= tokens.size();
         i += static_cast<std::size_t>(block_size)) {
      std::vector<std::int64_t> key = {before};
      key.insert(key.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                 tokens.begin() + static_cast<std::ptrdiff_t>(i) + block_size);
      before = numbers_.emplace(std::move(key), static_cast<std::int64_t>(numbers_.size())).first->second;
      numbers.push_back(before);
    }
    return numbers;
  }

 private:
  std::map<std::vector<std::int64_t>, std::int64_t> numbers_;
};

class LineReader {
 public:
  LineReader(std::string file, const TraceRules& rules, RequestTrace& trace, Problems& problems)
      : file_(std::move(file)), rules_(rules), trace_(trace), problems_(problems) {}

  void take(std::size_t line, const std::string& text) {
    line_ = line;
    const Json object = parse(text);
    if (!object.is_object()) return problem("", "the line is not an object", "write {...} on each line");
    if (object.contains("sub_requests")) {
      take_session(object);
    } else if (std::optional<Request> request = call(object, true)) {
      trace_.requests.push_back(std::move(*request));
    }
  }

  void finish() {
    if (long_ids_ > 0) {
      trace_.warnings.push_back(
          {file_, 0, 0, "",
           fmt::format("{} requests have other numbers of token ids than input_toks or output_toks says", long_ids_),
           "the counts are served; the prefix cache compares the ids"});
    }
    if (tokens_seen_ && blocks_seen_) {
      problem("", "some requests have token ids and others block_ids, which cannot be compared", "use one of them");
    }
  }

 private:
  void problem(const std::string& key, const std::string& message, const std::string& remedy) {
    problems_.add(file_, line_, key, message, remedy);
  }

  Json parse(const std::string& text) const {
    return files::parse_json(file_, text, "each line is one JSON object; 'jq -c' writes it so", line_);
  }

  void note_unknown(const Json& object, const std::vector<std::string>& keys) {
    for (const auto& item : object.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) != keys.end() || !unknown_.insert(item.key()).second)
        continue;
      const std::string near = nearest_name(item.key(), keys);
      trace_.warnings.push_back({file_, static_cast<int>(line_), 0, item.key(), "the key is not read",
                                 near.empty() ? "" : "did you mean '" + near + "'?"});
    }
  }

  std::optional<std::int64_t> number(const Json& object, const std::string& key, std::int64_t least) {
    if (!object.contains(key)) {
      std::vector<std::string> keys;
      for (const auto& item : object.items()) {
        if (std::find(kCallKeys.begin(), kCallKeys.end(), item.key()) == kCallKeys.end()) keys.push_back(item.key());
      }
      const std::string near = nearest_name(key, keys);
      problem(key, "the key is missing", near.empty() ? "add it" : "did you write '" + near + "' for it?");
      return std::nullopt;
    }
    const Json& value = object.at(key);
    constexpr double kMost = 1e18;
    const double real = value.is_number() ? value.get<double>() : NAN;
    if (!(std::abs(real) <= kMost) || std::floor(real) != real) {
      problem(key, "is " + value.dump().substr(0, 40), fmt::format("write a whole number from {} to 10^18", least));
      return std::nullopt;
    }
    const auto whole = value.is_number_integer() ? value.get<std::int64_t>() : static_cast<std::int64_t>(real);
    if (whole >= least) return whole;
    problem(key, "is " + std::to_string(whole), fmt::format("write a whole number from {} on", least));
    return std::nullopt;
  }

  std::optional<std::vector<std::int64_t>> list(const Json& object, const std::string& key) {
    constexpr double kBeyond = 9223372036854775808.0;  // 2^63
    std::vector<std::int64_t> values;
    if (!object.contains(key) || object.at(key).is_null()) return values;
    const Json& array = object.at(key);
    const bool numbers = array.is_array() && std::all_of(array.begin(), array.end(), [](const Json& one) {
                           return one.is_number_integer() && one.get<double>() >= 0.0 && one.get<double>() < kBeyond;
                         });
    if (!numbers) {
      problem(key, "is not a list of ids", "write [1, 2, ...] with whole numbers from 0 to 2^63 - 1");
      return std::nullopt;
    }
    for (const Json& one : array) values.push_back(one.get<std::int64_t>());
    return values;
  }

  std::optional<Request> call(const Json& object, bool with_time) {
    note_unknown(object, kCallKeys);
    const auto input = number(object, "input_toks", 0), output = number(object, "output_toks", 0);
    const auto arrival = with_time ? number(object, "arrival_time_ns", 0) : std::optional<std::int64_t>(0);
    const auto tokens = list(object, "input_tok_ids"), more = list(object, "output_tok_ids"),
               blocks = list(object, "block_ids");
    if (!input || !output || !arrival || !tokens || !more || !blocks) return std::nullopt;
    Request request;
    request.line = static_cast<int>(line_);
    request.arrival_ns = *arrival;
    request.input_tokens = *input;
    request.output_tokens = *output;
    if (object.contains("tool_duration_ns")) {
      const auto pause = number(object, "tool_duration_ns", 0);
      if (!pause) return std::nullopt;
      request.pause_ns = *pause;
    }
    set_contents(*tokens, *more, *blocks, request);
    return request;
  }

  void set_contents(std::vector<std::int64_t> tokens, const std::vector<std::int64_t>& more,
                    const std::vector<std::int64_t>& blocks, Request& request) {
    const auto all = static_cast<std::size_t>(request.input_tokens + request.output_tokens);
    if (!blocks.empty()) {
      blocks_seen_ = true;
      if (rules_.block_size % kIdsPerBlock != 0) {
        return problem("block_ids",
                       fmt::format("an id stands for {} tokens, and a block has {}", kIdsPerBlock, rules_.block_size),
                       "choose a multiple of 16 by --block-size");
      }
      const auto step = static_cast<std::size_t>(rules_.block_size / kIdsPerBlock);
      for (std::size_t i = step; i <= blocks.size(); i += step) request.contents.push_back(blocks[i - 1]);
    } else if (!tokens.empty()) {
      tokens_seen_ = true;
      const bool other = tokens.size() != static_cast<std::size_t>(request.input_tokens) ||
                         (!more.empty() && more.size() != static_cast<std::size_t>(request.output_tokens));
      long_ids_ += other ? 1 : 0;
      tokens.insert(tokens.end(), more.begin(), more.end());
      request.contents = numbers_.of_tokens(tokens, rules_.block_size);
    }
    const std::size_t full = all / static_cast<std::size_t>(rules_.block_size);
    if (request.contents.size() > full) request.contents.resize(full);
  }

  void take_session(const Json& object) {
    note_unknown(object, kSessionKeys);
    const auto arrival = number(object, "arrival_time_ns", 0);
    const Json& calls = object.at("sub_requests");
    if (!calls.is_array() || calls.empty())
      return problem("sub_requests", "is not a list of calls", "write [{...}, ...]");
    std::vector<Request> session;
    for (const Json& one : calls) {
      if (!one.is_object()) return problem("sub_requests", "a call is not an object", "write {\"input_toks\": ...}");
      std::optional<Request> request = call(one, false);
      if (!request) return;
      session.push_back(std::move(*request));
    }
    if (!arrival) return;
    session.front().arrival_ns = *arrival;
    for (std::size_t i = 0; i < session.size(); ++i) {
      session[i].waits = i > 0;
      if (i + 1 < session.size()) session[i].next = trace_.requests.size() + 1;
      trace_.requests.push_back(std::move(session[i]));
    }
  }

  const std::string file_;
  const TraceRules& rules_;
  RequestTrace& trace_;
  Problems& problems_;
  TextNumbers numbers_;
  std::set<std::string> unknown_;  // keys that were named in a warning
  std::size_t line_ = 0;
  std::size_t long_ids_ = 0;
  bool tokens_seen_ = false, blocks_seen_ = false;
};

}  // namespace

void read_request_lines(const std::string& file, const std::string& text, const TraceRules& rules, RequestTrace& trace,
                        Problems& problems) {
  trace.format = "LLMServingSim";
  LineReader reader(file, rules, trace, problems);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size() && !problems.full();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (number == 1 && line.rfind("\xef\xbb\xbf", 0) == 0) line.erase(0, 3);
    if (line.find_first_not_of(" \t\r") != std::string::npos) reader.take(number, line);
  }
  reader.finish();
}

}  // namespace kb::requests

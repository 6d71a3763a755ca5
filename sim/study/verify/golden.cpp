#include "sim/study/verify/golden.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "platform/base/error.h"
#include "platform/model/json_tree.h"

namespace kb::verify {
namespace {

using model::JsonMember;
using model::JsonNode;

class GoldenReader {
 public:
  GoldenReader(const JsonNode& root, const std::string& file, const model::ModelSpec& spec)
      : root_(root), file_(file), spec_(spec) {}

  Golden read() {
    Golden golden;
    golden.prompt = tokens("prompt");
    golden.tokens = tokens("tokens");
    if (golden.prompt.size() < 2) refuse(member(root_, "prompt"), "needs two tokens or more");
    if (golden.tokens.empty()) refuse(member(root_, "tokens"), "needs a token or more");
    const JsonMember& decode = member(root_, "decode");
    for (const JsonNode& choice : list(decode)) read_choice(choice, decode, golden);
    if (golden.choices.size() != golden.tokens.size() + 1) {
      refuse(decode, fmt::format("has {} choices; {} tokens call for {}", golden.choices.size(), golden.tokens.size(),
                                 golden.tokens.size() + 1));
    }
    const std::string after = fmt::format("after_{}", golden.tokens.size());
    golden.first = logits("prompt_logits_last");
    golden.last = logits("logits_" + after);
    golden.after_prompt = caches("cache_after_prompt", golden.prompt.size());
    golden.after_all = caches("cache_" + after, golden.prompt.size() + golden.tokens.size());
    return golden;
  }

 private:
  [[noreturn]] void refuse(const JsonMember& where, const std::string& what) const {
    throw Error({Diagnostic{file_, where.line, where.column, where.key, what, "is it of this model?"}});
  }
  const JsonMember& member(const JsonNode& object, const std::string& key) const {
    const JsonMember* const found = object.find(key);
    if (found == nullptr) throw Error({Diagnostic{file_, 0, 0, key, "is missing", "is it a file of golden outputs?"}});
    return *found;
  }
  const std::vector<JsonNode>& list(const JsonMember& one) const {
    if (one.node().kind != JsonNode::Kind::list) refuse(one, "must be a list and is " + one.node().described());
    return one.node().items;
  }
  double number(const JsonNode& node, const JsonMember& where) const {
    if (!node.is_number()) refuse(where, "must have numbers and has " + node.described());
    return node.real;
  }
  std::int64_t token(const JsonNode& node, const JsonMember& where) const {
    if (node.kind != JsonNode::Kind::integer || node.integer < 0 || node.integer >= spec_.vocabulary) {
      refuse(where, fmt::format("has {}, but tokens are 0 to {}", node.described(), spec_.vocabulary - 1));
    }
    return node.integer;
  }
  std::vector<double> numbers(const JsonMember& one, std::size_t count) const {
    std::vector<double> out;
    for (const JsonNode& node : list(one)) out.push_back(number(node, one));
    if (out.size() != count) refuse(one, fmt::format("has {} numbers, not {}", out.size(), count));
    return out;
  }

  Tokens tokens(const std::string& key) const {
    const JsonMember& one = member(root_, key);
    Tokens out;
    for (const JsonNode& node : list(one)) out.push_back(token(node, one));
    return out;
  }
  std::vector<double> logits(const std::string& key) const {
    return numbers(member(root_, key), static_cast<std::size_t>(spec_.vocabulary));
  }
  void read_choice(const JsonNode& choice, const JsonMember& decode, Golden& golden) const {
    if (choice.kind != JsonNode::Kind::object) refuse(decode, "must have objects and has " + choice.described());
    const JsonMember& chosen = member(choice, "token");
    golden.choices.push_back(token(chosen.node(), chosen));
    std::vector<std::pair<std::int64_t, double>> top;
    const JsonMember& known = member(choice, "top8");
    for (const JsonNode& pair : list(known)) {
      if (pair.items.size() != 2) refuse(known, "must have pairs of a token and its logit");
      top.emplace_back(token(pair.items[0], known), number(pair.items[1], known));
    }
    golden.top.push_back(std::move(top));
  }
  GoldenCache cache(const JsonNode& layer, const std::string& key, std::size_t tokens) const {
    const JsonMember& one = member(layer, key);
    GoldenCache out;
    out.tokens = static_cast<std::int64_t>(tokens);
    const auto real = [&](const char* name) {
      const JsonMember& value = member(one.node(), name);
      return number(value.node(), value);
    };
    out.l2 = real("l2"), out.wsum = real("wsum");
    out.sum_by_pos = numbers(member(one.node(), "sum_by_pos"), tokens);
    return out;
  }
  std::vector<GoldenLayer> caches(const std::string& key, std::size_t tokens) const {
    const JsonMember& one = member(root_, key);
    std::vector<GoldenLayer> out;
    for (const JsonNode& layer : list(one)) out.push_back({cache(layer, "k", tokens), cache(layer, "v", tokens)});
    if (out.size() != spec_.layers.size()) {
      refuse(one, fmt::format("has {} layers, and the model {}", out.size(), spec_.layers.size()));
    }
    return out;
  }

  const JsonNode& root_;
  const std::string& file_;
  const model::ModelSpec& spec_;
};

}  // namespace

Golden read_golden(const std::string& file, const model::ModelSpec& spec) {
  std::ifstream input(file, std::ios::binary);
  if (!input) throw Error({Diagnostic{file, 0, 0, "", "cannot be read", "give the JSON file of golden outputs"}});
  const JsonNode root = model::parse_json_tree({std::istreambuf_iterator<char>(input), {}}, file);
  return GoldenReader(root, file, spec).read();
}

}  // namespace kb::verify

#include "platform/topology/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace kb::topology::yaml {
namespace {

constexpr char kOverrideFile[] = "--set";

Mark to_mark(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

bool is_null_text(const std::string& text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// Builds the tree from parser events; yaml-cpp's own node type would drop the first of two equal keys silently.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, std::vector<Diagnostic>& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  ValuePtr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leave(make(Kind::null, mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it != anchors_.end()) {
      place(it->second, to_mark(mark));
      return;
    }
    report(to_mark(mark), "", "an alias refers to a value that contains it", "write the value out");
    place(make(Kind::null, mark), to_mark(mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool quoted = tag == "!";
    auto value = make(!quoted && is_null_text(text) ? Kind::null : Kind::scalar, mark);
    value->text = text;
    value->quoted = quoted;
    leave(value, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(make(Kind::list, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(make(Kind::map, mark), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    ValuePtr value;
    YAML::anchor_t anchor = 0;
    bool key_pending = false;  // maps: a key was read, its value is next
    std::string key;
    Mark key_mark;
  };

  static ValuePtr make(Kind kind, const YAML::Mark& mark) {
    auto value = std::make_shared<Value>();
    value->kind = kind;
    value->mark = to_mark(mark);
    return value;
  }
  void report(Mark mark, const std::string& key, const std::string& message, const std::string& remedy) {
    diagnostics_.push_back({file_, mark.line, mark.column, key, message, remedy});
  }
  std::string path_of(const std::string& key) const {
    std::string path;
    for (const Frame& frame : stack_) {
      if (frame.value->kind == Kind::map && frame.key_pending) path += (path.empty() ? "" : ".") + frame.key;
      if (frame.value->kind == Kind::list) path += fmt::format("[{}]", frame.value->items.size());
    }
    return path.empty() ? key : path + "." + key;
  }
  void open(const ValuePtr& value, YAML::anchor_t anchor) {
    Frame frame;
    frame.value = value;
    frame.anchor = anchor;
    stack_.push_back(frame);
  }
  void close() {
    const Frame frame = stack_.back();
    stack_.pop_back();
    leave(frame.value, frame.anchor);
  }
  void leave(const ValuePtr& value, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = value;
    place(value, value->mark);
  }
  void place(const ValuePtr& value, Mark mark) {
    if (stack_.empty()) {
      root_ = value;
      return;
    }
    Frame& frame = stack_.back();
    if (frame.value->kind == Kind::list) {
      frame.value->items.push_back(value);
    } else if (!frame.key_pending) {
      take_key(frame, *value, mark);
    } else {
      frame.key_pending = false;
      add_entry(frame, value);
    }
  }
  void take_key(Frame& frame, const Value& key, Mark mark) {
    if (key.kind == Kind::map || key.kind == Kind::list) {
      report(mark, "", fmt::format("{} cannot be a key", kind_text(key.kind)), "write a plain word before the colon");
    }
    frame.key = key.kind == Kind::null && key.text.empty() ? "~" : key.text;
    frame.key_mark = mark;
    frame.key_pending = true;
  }
  void add_entry(Frame& frame, const ValuePtr& value) {
    if (const Entry* first = frame.value->find(frame.key)) {
      report(frame.key_mark, path_of(frame.key),
             fmt::format("the key '{}' appears twice in one mapping (first on line {})", frame.key, first->mark.line),
             "remove one of them");
      return;
    }
    frame.value->entries.push_back({frame.key, frame.key_mark, value});
  }

  const std::string& file_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, ValuePtr> anchors_;
  ValuePtr root_;
};

class SecondDocument : public TreeBuilder {
 public:
  using TreeBuilder::TreeBuilder;
  void OnDocumentStart(const YAML::Mark& mark) override { start = to_mark(mark); }
  Mark start;
};

std::string lower_first(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

struct Step {
  std::string key;
  bool index = false;  // written as [n]
};

// "a.b[2].c" -> a, b, [2], c; nothing when malformed.
std::vector<Step> split_path(const std::string& path) {
  std::vector<Step> steps;
  std::string word;
  bool after_index = false;
  const auto flush = [&]() {
    if (word.empty()) return after_index;
    steps.push_back({word, false});
    word.clear();
    return true;
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '.') {
      if (!flush()) return {};
      after_index = false;
    } else if (path[i] == '[') {
      const std::size_t end = path.find(']', i);
      if (!flush() || end == std::string::npos || end == i + 1) return {};
      steps.push_back({path.substr(i + 1, end - i - 1), true});
      i = end;
      after_index = true;
    } else {
      if (after_index) return {};
      word += path[i];
    }
  }
  if (!flush()) return {};
  return steps;
}

void mark_override(Value& value) {
  value.from_override = true;
  value.mark = {};
  for (Entry& entry : value.entries) {
    entry.mark = {};
    mark_override(*entry.value);
  }
  for (ValuePtr& item : value.items) mark_override(*item);
}

bool all_digits(const std::string& text) {
  return !text.empty() && text.size() < 6 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

ValuePtr new_container(bool list) {
  auto value = std::make_shared<Value>();
  value->kind = list ? Kind::list : Kind::map;
  value->from_override = true;
  return value;
}

// The slot of one step below `parent`, made when missing; nullptr with `problem` set when the step does not fit.
ValuePtr* step_into(ValuePtr& parent, const Step& step, std::string& problem) {
  // Copied, because an alias may share it with another place of the file.
  parent = parent->kind == Kind::null ? new_container(step.index) : std::make_shared<Value>(*parent);
  if (parent->kind == Kind::list) {
    const std::size_t size = parent->items.size();
    if (!all_digits(step.key) || std::stoul(step.key) > size) {
      problem = fmt::format("'{}' is not an index into a list of {}, counted from 0", step.key, size);
      return nullptr;
    }
    const std::size_t index = std::stoul(step.key);
    if (index == size) parent->items.push_back(std::make_shared<Value>());
    return &parent->items[index];
  }
  if (parent->kind != Kind::map || step.index) {
    problem = fmt::format("'{}' looks into {}", step.key, kind_text(parent->kind));
    return nullptr;
  }
  for (Entry& entry : parent->entries) {
    if (entry.key == step.key) return &entry.value;
  }
  parent->entries.push_back({step.key, {}, std::make_shared<Value>()});
  parent->entries.back().value->from_override = true;
  return &parent->entries.back().value;
}

}  // namespace

std::string_view kind_text(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return "a single value";
    case Kind::map:
      return "a mapping";
    case Kind::list:
      return "a list";
  }
  return "";
}

const Entry* Value::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

namespace {

// Other programs' files are full of characters that belong in no text, and YAML's own message would show them.
bool is_text(const std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics) {
  constexpr std::string_view kLayout = "\t\n\r";
  const auto odd = std::find_if(text.begin(), text.end(), [&](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code < 0x20 && kLayout.find(c) == std::string_view::npos) || code == 0x7f;
  });
  if (odd == text.end()) return true;
  const auto line = static_cast<int>(1 + std::count(text.begin(), odd, '\n'));
  diagnostics.push_back(
      {file, line, 0, "",
       fmt::format("this is no text: it holds the character {:#04x}", static_cast<unsigned char>(*odd)),
       "give a YAML file"});
  return false;
}

}  // namespace

ValuePtr parse(const std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics) {
  if (!is_text(text, file, diagnostics)) return nullptr;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(file, diagnostics);
    if (!parser.HandleNextDocument(builder) || !builder.root()) return std::make_shared<Value>();
    SecondDocument second(file, diagnostics);
    if (parser.HandleNextDocument(second)) {
      diagnostics.push_back({file, second.start.line, second.start.column, "",
                             "a second YAML document starts here; only one is read", "remove the '---' line"});
    }
    return builder.root();
  } catch (const YAML::Exception& e) {
    const Mark mark = to_mark(e.mark);
    diagnostics.push_back({file, mark.line, mark.column, "", "YAML syntax: " + lower_first(e.msg),
                           "check indentation, brackets and colons here and just above"});
    return nullptr;
  }
}

void apply_override(ValuePtr& root, const std::string& path, const std::string& text,
                    std::vector<Diagnostic>& diagnostics) {
  const std::vector<Step> steps = split_path(path);
  if (steps.empty()) {
    diagnostics.push_back({kOverrideFile, 0, 0, path, "this is not a key path",
                           "write dotted keys, e.g. cube.links.router_link_bw_gbs=128"});
    return;
  }
  std::vector<Diagnostic> syntax;
  ValuePtr value = parse(text, kOverrideFile, syntax);
  if (!value || !syntax.empty()) {
    const std::string why = syntax.empty() ? "" : syntax.front().message;
    diagnostics.push_back({kOverrideFile, 0, 0, path, fmt::format("the value '{}' cannot be read: {}", text, why),
                           "write a number, a word or a YAML list"});
    return;
  }
  mark_override(*value);
  ValuePtr* slot = &root;
  for (const Step& step : steps) {
    std::string problem;
    slot = step_into(*slot, step, problem);
    if (slot == nullptr) {
      diagnostics.push_back({kOverrideFile, 0, 0, path, problem, "correct the key path"});
      return;
    }
  }
  *slot = value;
}

}  // namespace kb::topology::yaml

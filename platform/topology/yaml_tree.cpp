#include "platform/topology/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>

#include "platform/base/problem_limit.h"

namespace kb::topology::yaml {
namespace {

Mark to_mark(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

bool is_null_text(const std::string& text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

constexpr char kManyProblems[] = "correct these problems first";
constexpr char kSmallerFile[] = "a configuration has at most 1 MiB";

// Ends the parser early.
struct Stop {
  Mark mark;
  std::string message;
  std::string remedy;
};

// Builds the tree from parser events; yaml-cpp's own node type would drop the first of two equal keys silently.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, std::vector<Diagnostic>& diagnostics, std::size_t most_values = kMaxValues)
      : file_(file), diagnostics_(diagnostics), most_values_(most_values) {}

  ValuePtr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(1, to_mark(mark));
    leave(make(Kind::null, mark), anchor, 1);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it != anchors_.end()) {
      count(it->second.values, to_mark(mark));
      place(it->second.value, to_mark(mark));
      return;
    }
    report(to_mark(mark), "", "an alias refers to a value that contains it", "write the value out");
    place(make(Kind::null, mark), to_mark(mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    count(1, to_mark(mark));
    if (text.size() > kMaxCharacters) {
      throw Stop{to_mark(mark),
                 fmt::format("this text has {} characters, at most {} are read", text.size(), kMaxCharacters),
                 "check the quotes and the indentation here"};
    }
    const bool quoted = tag == "!";
    auto value = make(!quoted && is_null_text(text) ? Kind::null : Kind::scalar, mark);
    value->text = text;
    value->quoted = quoted;
    leave(value, anchor, 1);
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
    std::size_t values_before = 0;
    std::map<std::string, int> key_lines;  // maps: position of each key
    bool key_pending = false;              // maps: a key was read, its value is next
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
    if (diagnostics_.size() >= kMaxProblems) throw Stop{mark, "the rest of the file was not read", kManyProblems};
  }
  // Counts a value with its children and with aliases expanded, as a traversal of the tree meets them.
  void count(std::size_t values, Mark mark) {
    values_ += values;
    if (values_ <= most_values_) return;
    throw Stop{mark,
               fmt::format("the document has more than {} values (aliases count as what they stand for)", most_values_),
               "no configuration needs that many"};
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
    if (stack_.size() >= kMaxLevels) {
      throw Stop{value->mark, fmt::format("the document is nested deeper than {} levels", kMaxLevels),
                 "check the brackets and the indentation"};
    }
    Frame frame;
    frame.value = value;
    frame.anchor = anchor;
    frame.values_before = values_;
    count(1, value->mark);
    stack_.push_back(std::move(frame));
  }
  void close() {
    const Frame frame = std::move(stack_.back());
    stack_.pop_back();
    leave(frame.value, frame.anchor, values_ - frame.values_before);
  }
  void leave(const ValuePtr& value, YAML::anchor_t anchor, std::size_t values) {
    if (anchor != 0) anchors_[anchor] = {value, values};
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
    const auto [first, fresh] = frame.key_lines.emplace(frame.key, frame.key_mark.line);
    if (!fresh) {
      report(frame.key_mark, path_of(frame.key),
             fmt::format("the key '{}' appears twice in one mapping (first on line {})", frame.key, first->second),
             "remove one of them");
      return;
    }
    frame.value->entries.push_back({frame.key, frame.key_mark, value});
  }

  const std::string& file_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Frame> stack_;
  struct Anchored {
    ValuePtr value;
    std::size_t values = 0;
  };
  std::map<YAML::anchor_t, Anchored> anchors_;
  ValuePtr root_;
  const std::size_t most_values_;
  std::size_t values_ = 0;
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

// Binary files contain characters that must not be printed, and YAML's own message would print them.
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
       fmt::format("this is not text: it holds the character {:#04x}", static_cast<unsigned char>(*odd)),
       "give a YAML file"});
  return false;
}

// The first tab-indented line among the lines at and just above `mark`.
std::optional<Mark> tab_before(const std::string& text, Mark mark) {
  std::optional<Mark> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; number <= mark.line && std::getline(lines, line); ++number) {
    const std::size_t tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    if (tab == std::string::npos || blank) {
      if (number < mark.line) found.reset();
    } else if (!found) {
      found = Mark{number, static_cast<int>(tab) + 1};
    }
  }
  return found;
}

struct Bracket {
  char open = 0;
  Mark mark;
};

// The innermost open bracket at `mark`. Brackets and quotes inside a plain word are part of the word.
std::optional<Bracket> open_bracket(const std::string& text, Mark mark) {
  std::vector<Bracket> open;
  Mark at{1, 1};
  char quote = 0, before = '\n';  // the last non-blank character or line end
  bool blank = true;              // whether a blank follows `before`
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (at.line > mark.line || (at.line == mark.line && at.column >= mark.column)) break;
    const char c = text[i];
    const bool begins = !open.empty() ? std::string_view("\n:,[{").find(before) != std::string_view::npos
                                      : before == '\n' || (blank && (before == ':' || before == '-'));
    if (quote != 0) {
      if (c == '\\' && quote == '"') {
        ++i;
        ++at.column;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '#' && (blank || before == '\n')) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      at.column += static_cast<int>(end - i);
      i = end;
      if (i == text.size()) break;
    } else if ((c == '"' || c == '\'') && begins) {
      quote = c;
    } else if ((c == '{' || c == '[') && (begins || !open.empty())) {
      open.push_back({c, at});
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    }
    const char read = text[i];
    blank = read == ' ' || read == '\t' || read == '\n';
    if (read == '\n') {
      ++at.line;
      at.column = 1;
      if (quote == 0) before = '\n';
    } else {
      ++at.column;
      if (!blank) before = read;
    }
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

bool in_flow(const std::string& message) {
  return message.find(" flow not found") != std::string::npos || message == "illegal flow end";
}

// Rephrases the library's message for users.
Diagnostic syntax_problem(const std::string& text, Mark mark, const std::string& message) {
  if (const std::optional<Mark> tab = tab_before(text, mark)) {
    return {"",
            tab->line,
            tab->column,
            "",
            fmt::format("YAML syntax: line {} is indented with a tab", tab->line),
            "indent with spaces"};
  }
  const std::optional<Bracket> bracket = in_flow(message) ? open_bracket(text, mark) : std::nullopt;
  if (bracket) {
    const bool to_the_end = mark.line > std::count(text.begin(), text.end(), '\n');
    return {"",
            bracket->mark.line,
            bracket->mark.column,
            "",
            fmt::format("YAML syntax: this '{}' is not closed", bracket->open) +
                (to_the_end ? "" : fmt::format(" before line {}, column {}", mark.line, mark.column)),
            fmt::format("add the missing '{}', or a comma between two entries", bracket->open == '{' ? '}' : ']')};
  }
  return {"",
          mark.line,
          mark.column,
          "",
          "YAML syntax: " + message,
          "check indentation, brackets and colons here and just above"};
}

}  // namespace

ValuePtr parse(const std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics,
               std::size_t most_values) {
  if (text.size() > kMaxBytes) {
    diagnostics.push_back({file, 0, 0, "", fmt::format("{} bytes are too many", text.size()), kSmallerFile});
    return nullptr;
  }
  if (!is_text(text, file, diagnostics)) return nullptr;
  const std::size_t before = diagnostics.size();
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(file, diagnostics, most_values);
    if (!parser.HandleNextDocument(builder) || !builder.root()) return std::make_shared<Value>();
    SecondDocument second(file, diagnostics);
    if (parser.HandleNextDocument(second)) {
      diagnostics.push_back({file, second.start.line, second.start.column, "",
                             "a second YAML document starts here; only one is read", "remove the '---' line"});
    }
    return builder.root();
  } catch (const Stop& stop) {
    diagnostics.push_back({file, stop.mark.line, stop.mark.column, "", stop.message, stop.remedy});
    return nullptr;
  } catch (const YAML::Exception& e) {
    // The library does not report the position of a last line without a line end.
    if (in_flow(e.msg) && text.back() != '\n' && text.size() < kMaxBytes) {
      diagnostics.resize(before);
      return parse(text + '\n', file, diagnostics, most_values);
    }
    const Mark mark = to_mark(e.mark);
    diagnostics.push_back(syntax_problem(text, mark, lower_first(e.msg)));
    diagnostics.back().file = file;
    return nullptr;
  }
}

}  // namespace kb::topology::yaml

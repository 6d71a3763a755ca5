#include "tests/robustness/tree.h"

#include <yaml-cpp/yaml.h>

#include <stdexcept>

namespace kb::robustness {
namespace {

Tree from_yaml(const YAML::Node& node) {
  Tree tree;
  if (node.IsMap()) {
    tree.kind = Tree::Kind::map;
    for (const auto& entry : node) tree.keys.emplace_back(entry.first.Scalar(), from_yaml(entry.second));
  } else if (node.IsSequence()) {
    tree.kind = Tree::Kind::list;
    for (const YAML::Node& item : node) tree.items.push_back(from_yaml(item));
  } else {
    tree.text = node.IsNull() ? "null" : node.Scalar();
    tree.quoted = node.Tag() == "!";
  }
  return tree;
}

std::string flow_yaml(const Tree& tree) {
  std::string text;
  switch (tree.kind) {
    case Tree::Kind::scalar:
      return tree.quoted ? "\"" + tree.text + "\"" : tree.text;
    case Tree::Kind::list:
      for (const Tree& item : tree.items) text += (text.empty() ? "" : ", ") + flow_yaml(item);
      return "[" + text + "]";
    case Tree::Kind::map:
      for (const auto& [key, value] : tree.keys) text += (text.empty() ? "" : ", ") + key + ": " + flow_yaml(value);
      return "{" + text + "}";
  }
  return text;
}

constexpr std::size_t kDeepestBlock = 40;  // indentation would make the text quadratic

void block_yaml(const Tree& tree, std::size_t depth, std::string& text) {
  const bool inline_only = tree.kind == Tree::Kind::scalar || depth > kDeepestBlock ||
                           (tree.kind == Tree::Kind::map ? tree.keys.empty() : tree.items.empty());
  if (inline_only) {
    text += " " + flow_yaml(tree) + "\n";
    return;
  }
  if (depth > 0) text += "\n";
  const std::string indent(2 * depth, ' ');
  for (const auto& [key, value] : tree.keys) {
    text += indent + key + ":";
    block_yaml(value, depth + 1, text);
  }
  for (const Tree& item : tree.items) text += indent + "- " + flow_yaml(item) + "\n";
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

}  // namespace

Tree* Tree::find(const std::string& key) {
  for (auto& entry : keys) {
    if (entry.first == key) return &entry.second;
  }
  return nullptr;
}

Tree parse_tree(const std::string& text) {
  try {
    return from_yaml(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    throw std::runtime_error(error.what());
  }
}

std::string write_yaml(const Tree& tree, bool flow) {
  if (flow) return flow_yaml(tree) + "\n";
  std::string text;
  block_yaml(tree, 0, text);
  return text;
}

std::string write_json(const Tree& tree) {
  std::string text;
  switch (tree.kind) {
    case Tree::Kind::scalar:
      return tree.quoted ? json_text(tree.text) : tree.text;
    case Tree::Kind::list:
      for (const Tree& item : tree.items) text += (text.empty() ? "" : ",") + write_json(item);
      return "[" + text + "]";
    case Tree::Kind::map:
      for (const auto& [key, value] : tree.keys)
        text += (text.empty() ? "" : ",\n") + json_text(key) + ":" + write_json(value);
      return "{" + text + "}";
  }
  return text;
}

void overlay(Tree& base, const Tree& over) {
  if (base.kind != Tree::Kind::map || over.kind != Tree::Kind::map) {
    base = over;
    return;
  }
  for (const auto& [key, value] : over.keys) {
    if (Tree* old = base.find(key)) {
      overlay(*old, value);
    } else {
      base.keys.emplace_back(key, value);
    }
  }
}

}  // namespace kb::robustness

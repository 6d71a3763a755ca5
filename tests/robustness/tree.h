// A document as an ordered tree of texts; keys may be repeated, and scalars may have any text.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kb::robustness {

struct Tree {
  enum class Kind { scalar, map, list };
  Kind kind = Kind::scalar;
  std::string text;                                // scalar, written unchanged
  bool quoted = false;                             // JSON: a string
  std::vector<std::pair<std::string, Tree>> keys;  // map
  std::vector<Tree> items;                         // list

  static Tree scalar(std::string text) {
    Tree tree;
    tree.text = std::move(text);
    return tree;
  }
  static Tree of(Kind kind) {
    Tree tree;
    tree.kind = kind;
    return tree;
  }
  Tree* find(const std::string& key);
};

// Parses YAML (and therefore JSON). Throws std::runtime_error for other text.
Tree parse_tree(const std::string& text);
std::string write_yaml(const Tree& tree, bool flow);
std::string write_json(const Tree& tree);

// Keys and values of `over` replace those of `base`, map by map.
void overlay(Tree& base, const Tree& over);

}  // namespace kb::robustness

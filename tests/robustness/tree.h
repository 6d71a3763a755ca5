// A document as an ordered tree of texts, in which a key may occur twice and a scalar may be anything.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kb::robustness {

struct Tree {
  enum class Kind { scalar, map, list };
  Kind kind = Kind::scalar;
  std::string text;                                // scalar, written as it is
  bool quoted = false;                             // in JSON: a text rather than a number or a word
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

// YAML, and JSON with it. std::runtime_error when it is none.
Tree parse_tree(const std::string& text);
std::string write_yaml(const Tree& tree, bool flow);
std::string write_json(const Tree& tree);

// Keys and values of `over` replace those of `base`, map by map.
void overlay(Tree& base, const Tree& over);

}  // namespace kb::robustness

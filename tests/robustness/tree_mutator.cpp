#include "tests/robustness/tree_mutator.h"

#include <algorithm>
#include <utility>

#include "tests/robustness/values.h"

namespace kb::robustness {
namespace {

using Kind = Tree::Kind;

void collect(Tree& tree, std::vector<Tree*>& all) {
  all.push_back(&tree);
  for (auto& entry : tree.keys) collect(entry.second, all);
  for (Tree& item : tree.items) collect(item, all);
}

std::vector<Tree*> nodes_of(Tree& tree, bool (*wanted)(const Tree&)) {
  std::vector<Tree*> all, found;
  collect(tree, all);
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const Tree* node) { return wanted(*node); });
  return found;
}

Tree nested(std::size_t depth, bool list) {
  Tree inner = Tree::scalar("1");
  for (std::size_t i = 0; i < depth; ++i) {
    Tree outer = Tree::of(list ? Kind::list : Kind::map);
    if (list) {
      outer.items.push_back(std::move(inner));
    } else {
      outer.keys.emplace_back("a", std::move(inner));
    }
    inner = std::move(outer);
  }
  return inner;
}

Tree long_list(Random& random) {
  Tree list = Tree::of(Kind::list);
  const std::string item = random.chance(50) ? edge_number(random) : odd_text(random).substr(0, 20);
  list.items.assign(random.chance(10) ? random.between(1000, 30000) : random.between(2, 300), Tree::scalar(item));
  return list;
}

Tree of_another_type(Random& random) {
  switch (random.below(7)) {
    case 0:
      return Tree::of(Kind::list);
    case 1:
      return Tree::of(Kind::map);
    case 2:
      return long_list(random);
    case 3:
      return nested(random.chance(10) ? random.between(100, 3000) : random.between(1, 60), random.chance(50));
    case 4:
      return Tree::scalar("null");
    case 5:
      return Tree::scalar(random.chance(50) ? "yes" : "false");
    default:
      return Tree::scalar(odd_text(random));
  }
}

void change_value(Tree& value, const Vocabulary& words, Random& random) {
  const std::size_t kind = random.below(10);
  if (kind < 3) {
    value = Tree::scalar(edge_number(random));
  } else if (kind < 5 && value.kind == Kind::scalar) {
    value.text = near_number(value.text, random);
  } else if (kind < 6 && !words.values.empty()) {
    value = Tree::scalar(random.pick(words.values));
  } else if (kind < 7 && value.kind == Kind::scalar) {
    value.text = typo(value.text, random);
  } else if (kind < 8) {
    value = Tree::scalar(odd_text(random));
    value.quoted = random.chance(50);
  } else {
    value = of_another_type(random);
  }
}

void change_key(Tree& map, const Vocabulary& words, Random& random) {
  const std::size_t at = random.below(map.keys.size());
  auto& entry = map.keys[at];
  switch (random.below(7)) {
    case 0:
      map.keys.erase(map.keys.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1: {
      const auto copy = entry;
      map.keys.insert(map.keys.begin() + static_cast<std::ptrdiff_t>(random.below(map.keys.size() + 1)), copy);
      break;
    }
    case 2:
      entry.first = typo(entry.first, random);
      break;
    case 3:
      entry.first = random.chance(70) && !words.keys.empty() ? random.pick(words.keys) : odd_text(random);
      break;
    case 4:
      std::swap(entry.second, map.keys[random.below(map.keys.size())].second);
      break;
    case 5:
      entry = {"&anchor " + entry.first, entry.second};
      map.keys.emplace_back(random.chance(50) ? "<<" : "copy", Tree::scalar("*anchor"));
      break;
    default:
      map.keys.emplace_back(words.keys.empty() ? "x" : random.pick(words.keys), Tree::scalar(edge_number(random)));
  }
}

void change_list(Tree& list, Random& random) {
  const auto at = list.items.begin() + static_cast<std::ptrdiff_t>(random.below(list.items.size()));
  switch (random.below(4)) {
    case 0:
      list.items.erase(at);
      break;
    case 1: {
      const Tree copy = *at;
      list.items.insert(at, random.chance(20) ? random.between(10, 3000) : 1, copy);
      break;
    }
    case 2:
      std::swap(*at, list.items[random.below(list.items.size())]);
      break;
    default:
      list.items.emplace_back(of_another_type(random));
  }
}

void many_keys(Tree& map, Random& random) {
  const std::size_t count = random.chance(10) ? random.between(1000, 20000) : random.between(5, 200);
  for (std::size_t i = 0; i < count; ++i) map.keys.emplace_back("unknown" + std::to_string(i), Tree::scalar("1"));
}

// A part of the document in another place.
void transplant(Tree& tree, Random& random) {
  const std::vector<Tree*> all = nodes_of(tree, [](const Tree&) { return true; });
  const Tree copy = *random.pick(all);
  *random.pick(all) = copy;
}

}  // namespace

void Vocabulary::add(const Tree& tree) {
  if (tree.kind == Kind::scalar && std::find(values.begin(), values.end(), tree.text) == values.end())
    values.push_back(tree.text);
  for (const auto& [key, value] : tree.keys) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    add(value);
  }
  for (const Tree& item : tree.items) add(item);
}

void mutate(Tree& tree, const Vocabulary& words, Random& random) {
  const std::vector<Tree*> maps = nodes_of(tree, [](const Tree& node) { return !node.keys.empty(); });
  const std::vector<Tree*> lists = nodes_of(tree, [](const Tree& node) { return !node.items.empty(); });
  const std::size_t kind = random.below(100);
  if (kind < 55) {
    const std::vector<Tree*> values = nodes_of(tree, [](const Tree& node) { return node.kind == Kind::scalar; });
    if (values.empty()) return;
    change_value(*random.pick(values), words, random);
  } else if (kind < 80 && !maps.empty()) {
    change_key(*random.pick(maps), words, random);
  } else if (kind < 90 && !lists.empty()) {
    change_list(*random.pick(lists), random);
  } else if (kind < 93 && !maps.empty()) {
    many_keys(*random.pick(maps), random);
  } else if (kind < 96) {
    transplant(tree, random);
  } else {
    std::vector<Tree*> all = nodes_of(tree, [](const Tree&) { return true; });
    change_value(*random.pick(all), words, random);
  }
}

}  // namespace kb::robustness

#include "platform/engine/engine_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <mutex>

#include "platform/base/error.h"
#include "platform/engine/built_in_engines.h"
#include "platform/engine/engine_catalog.h"
#include "platform/engine/pe_time.h"

namespace kb::engine {
namespace {

struct Names {
  std::string name, node, stage;
  std::string label, sentence, phrase, colour;
  DisplayText bare, full;  // refer to the texts
  std::atomic<const DisplayText*> word{&bare};
};

// Names of blocks of a PE, of parts of a launch outside of its kernel and of kinds of operations, which occur in tables
// together with engines, as those of time shares and resources (pe_time.h) do.
constexpr std::array<std::string_view, 15> kTaken{"cpu",    "scheduler", "fetch_store", "mmu",        "ipcq",
                                                  "memory", "delivery",  "barrier",     "completion", "unknown",
                                                  "fetch",  "store",     "busy",        "dma_read",   "dma_write"};

bool is_taken(std::string_view name) {
  const auto has_name = [&](const DisplayText& word) { return word.name == name; };
  return std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end() ||
         std::any_of(kTimeShareWords.begin(), kTimeShareWords.end(), has_name) ||
         std::any_of(kPeResourceWords.begin(), kPeResourceWords.end(), has_name);
}

// Grows while plug-ins are loaded, and when `kernbench web` opens a run: other threads read it at the same time, and
// without a lock. What has been published once does not change.
class Table {
 public:
  static Table& instance() {
    static Table table;
    return table;
  }
  EngineId id(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto end = names_.begin() + static_cast<std::ptrdiff_t>(size());
    const auto found = std::find_if(names_.begin(), end, [&](const Names& names) { return names.name == name; });
    if (found != end) return static_cast<EngineId>(found - names_.begin());
    check(name);
    define(name);
    return static_cast<EngineId>(size() - 1);
  }
  // The first words with a label stay, because references to them may exist.
  void set_word(EngineId engine, const DisplayText& word) {
    const std::lock_guard lock(mutex_);
    Names& names = names_.at(index_of(engine));
    if (word.label.empty() || names.word == &names.full) return;
    names.label = word.label;
    names.sentence = word.sentence;
    names.phrase = word.phrase;
    names.colour = word.colour;
    names.full = {names.name, names.label, names.sentence, names.phrase, names.colour};
    names.word = &names.full;
  }
  const Names& names(EngineId engine) const { return names_.at(index_of(engine)); }
  std::size_t size() const { return size_; }

 private:
  Table() {
    for (const EngineRow& row : built_in_rows()) define(row.name);
  }
  void define(std::string_view name) {
    Names& names = names_[size()];
    names.name = name;
    names.node = "pe_" + names.name;
    names.stage = names.name;
    for (char& letter : names.stage) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    names.bare.name = names.name;
    ++size_;
  }
  void check(std::string_view name) const {
    const auto usable = [](char letter) { return (letter >= 'a' && letter <= 'z') || letter == '_'; };
    const auto digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    const bool good =
        !name.empty() && name.size() <= 24 && usable(name.front()) &&
        std::all_of(name.begin(), name.end(), [&](char letter) { return usable(letter) || digit(letter); });
    if (!good) {
      throw Error::configuration(fmt::format(
          "'{}' is not a name of an engine; write up to 24 lower-case letters, digits and underscores, e.g. transpose",
          name));
    }
    if (is_taken(name)) {
      throw Error::configuration(fmt::format("an engine cannot be called '{}', which is something else in a PE", name));
    }
    if (size() == kMaxEngines) {
      throw Error::configuration(fmt::format("engine '{}' is one too many: {} are possible, {} of them built in", name,
                                             kMaxEngines, kBuiltInEngines));
    }
  }

  std::mutex mutex_;
  std::array<Names, kMaxEngines> names_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace

EngineId engine_id(std::string_view name) {
  return Table::instance().id(name);
}

std::size_t known_engines() {
  return Table::instance().size();
}

const DisplayText& engine_word(EngineId engine) {
  static_cast<void>(built_in_engines());  // makes the words of the first two
  return *Table::instance().names(engine).word.load();
}

void set_engine_word(EngineId engine, const DisplayText& word) {
  Table::instance().set_word(engine, word);
}

std::string_view engine_node(EngineId engine) {
  return Table::instance().names(engine).node;
}

std::string_view engine_stage(EngineId engine) {
  return Table::instance().names(engine).stage;
}

}  // namespace kb::engine

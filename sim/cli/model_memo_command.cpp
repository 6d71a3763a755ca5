#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "sim/cli/help.h"
#include "sim/cli/model_command.h"
#include "sim/study/store/store_edit.h"
#include "sim/study/store/store_report.h"

namespace kb::cli {
namespace {

// "512MiB", "1.5GiB", "4096" in bytes. Usage Error for another text.
std::uint64_t parse_size(const std::string& option, const std::string& text) {
  constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {{"", 1},       {"B", 1},      {"KiB", kKiB},
                                                                   {"MiB", kMiB}, {"GiB", kGiB}, {"TiB", 1024 * kGiB}};
  constexpr double kMost = 9e15;  // below the integers that a double skips
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const auto& [name, bytes] : kUnits) {
    const double size = number * static_cast<double>(bytes);
    if (code != std::errc() || unit != name || !std::isfinite(size) || size < 0 || size > kMost) continue;
    return static_cast<std::uint64_t>(size);
  }
  throw usage_error(fmt::format("{} '{}': write bytes, or a number with KiB, MiB or GiB, as in 512MiB", option, text));
}

class ModelMemoCommand final : public Command {
 public:
  explicit ModelMemoCommand(CLI::App& app) {
    app.footer(kModelMemoFooter);
    app.add_option("STORE", store_, "Folder of --store, or one of its files")->required();
    CLI::Option* const stat =
        app.add_flag("--stat", stat_, "Entries and bytes by version, machine, model and kernel; last uses (default)");
    CLI::Option* const merge =
        app.add_option("--merge", others_, "Add to STORE what these folders and files have; they stay as they are")
            ->type_name("OTHER")
            ->excludes(stat);
    app.add_option("--prune", size_, "Keep at most SIZE (512MiB): other versions go first, then the longest unused")
        ->type_name("SIZE")
        ->excludes(stat)
        ->excludes(merge);
    app.add_flag("--json", json_, "Print as JSON");
  }

  int run() override {
    if (!others_.empty()) {
      const store::Merged merged = store::merge_stores(store_, others_);
      show(store::render_merged(store_, merged), store::render_merged_json(store_, merged));
    } else if (!size_.empty()) {
      const store::Pruned pruned = store::prune_store(store_, parse_size("--prune", size_));
      show(store::render_pruned(store_, pruned), store::render_pruned_json(store_, pruned));
    } else {
      const store::Store store = store::read_store(store_);
      show(store::render_stat(store), store::render_stat_json(store));
    }
    return 0;
  }

 private:
  void show(const std::string& text, const std::string& json) const { json_ ? print(json) : print_text(text); }

  std::string store_, size_;
  std::vector<std::string> others_;
  bool stat_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_memo_command(CLI::App& app, const Program&) {
  return std::make_unique<ModelMemoCommand>(app);
}

}  // namespace kb::cli

#include "sim/study/requests/lookups.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "platform/base/nearest.h"
#include "sim/study/files/csv.h"
#include "sim/study/requests/input_text.h"

namespace kb::requests {
namespace {

using profile::DecodeContexts;
using profile::ProfileStepTime;

const std::vector<std::string> kKinds = {"dense", "per_sequence", "attention", "moe"};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

class Lookups {
 public:
  Lookups(const std::string& file, profile::KernelProfile& profile, const profile::ServedModel& model,
          profile::Ranks ranks, const profile::RankLinks& links)
      : file_(file),
        text_(read_text(file)),
        csv_(text_),
        profile_(profile),
        model_(model),
        ranks_(ranks),
        links_(links) {}

  LookupTable run() {
    if (csv_.next(cells_)) {
      for (std::size_t i = 0; i < cells_.size(); ++i) columns_.emplace(cells_[i].text, i);
      header_ = std::string(csv_.text());
    }
    const bool batches = columns_.count("prefills_new@past") != 0;
    table_.compared = columns_.count(batches ? "step_ns" : "expected_ns") != 0;
    table_.csv = header_ + (batches ? ",computed_layer_ns,computed_step_ns\n" : ",computed_ns\n");
    if (!batches && columns_.count("kind") == 0) {
      problem("", "the columns are neither those of look-ups nor those of batches",
              "begin with kind,tp,layer,... or with prefills_new@past,decode_kv");
      problems_.throw_if_any();
    }
    while (!problems_.full() && csv_.next(cells_)) {
      ++table_.rows;
      batches ? batch() : single();
    }
    problems_.throw_if_any();
    return std::move(table_);
  }

 private:
  void problem(const std::string& column, const std::string& message, const std::string& remedy) {
    problems_.add(file_, csv_.line(), column, message, remedy);
  }
  std::string cell(const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() || found->second >= cells_.size() ? "" : cells_[found->second].text;
  }
  std::int64_t number(const std::string& column) { return number_in(column, cell(column)); }
  std::int64_t number_in(const std::string& column, const std::string& text) {
    if (text.empty()) return 0;
    const std::optional<std::int64_t> value = whole_number(text);
    constexpr std::int64_t kMost = 1'000'000'000;
    if (value && *value >= 0 && *value <= kMost) return *value;
    problem(column, "'" + text + "' is not a count", "write a whole number from 0 on");
    return 0;
  }

  ProfileStepTime* times(std::int64_t tp) {
    if (profile_.by_tp.count(tp) == 0) {
      problem("tp", fmt::format("the profile has no tp{}", tp), "leave the row out");
      return nullptr;
    }
    std::unique_ptr<ProfileStepTime>& made = times_[tp];
    if (!made) made = std::make_unique<ProfileStepTime>(profile_, model_, profile::Ranks{tp, ranks_.ep}, links_);
    return made.get();
  }

  DecodeContexts contexts() {
    DecodeContexts contexts;
    for (const std::string& word : words_of(cell("decode_kv"))) contexts.add(number_in("decode_kv", word));
    return contexts;
  }

  void single() {
    const std::string kind = cell("kind"), layer = cell("layer");
    ProfileStepTime* const at = times(columns_.count("tp") != 0 ? number("tp") : ranks_.tp);
    if (at == nullptr) return;
    std::int64_t ns = 0;
    if (kind == "dense") {
      ns = at->dense_ns(layer, number("n"));
    } else if (kind == "per_sequence") {
      ns = at->per_sequence_ns(layer, number("n"));
    } else if (kind == "attention") {
      ns = at->attention_ns(number("prefill_chunk"), number("kv_prefill"), contexts(), cell("skew") == "1");
    } else if (kind == "moe") {
      ns = at->expert_ns(number("n"), number("activated_experts"));
    } else {
      return problem("kind", "'" + kind + "' is not a kind of look-up", suggest(kind, kKinds));
    }
    if (table_.compared && std::abs(ns - number("expected_ns")) > 1) ++table_.different;
    table_.csv += std::string(csv_.text()) + fmt::format(",{}\n", ns);
  }

  void batch() {
    serving::Batch batch;
    std::int64_t tokens = 0, chunk = 0, past_sum = 0;
    DecodeContexts decodes;
    for (const std::string& word : words_of(cell("prefills_new@past"))) {
      const std::size_t at = word.find('@');
      if (at == std::string::npos) return problem("prefills_new@past", "'" + word + "' is not NEW@PAST", "e.g. 700@0");
      const std::int64_t fresh = number_in("prefills_new@past", word.substr(0, at));
      const std::int64_t past = number_in("prefills_new@past", word.substr(at + 1));
      if (fresh < 2)
        return problem("prefills_new@past", "'" + word + "' has fewer than 2 new tokens", "list it as a decode");
      batch.push_back({nullptr, fresh, past});
      tokens += fresh;
      chunk += fresh;
      past_sum += past;
    }
    for (const std::string& word : words_of(cell("decode_kv"))) {
      const std::int64_t context = number_in("decode_kv", word);
      decodes.add(context);
      batch.push_back({nullptr, 1, context});
      ++tokens;
    }
    if (batch.empty()) return problem("", "the batch is empty", "write prefills or decodes");
    ProfileStepTime& at = *times(ranks_.tp);
    const std::int64_t layer = at.layer_ns(tokens, chunk, past_sum, decodes), step = at.step_ns(batch);
    if (table_.compared && (step != number("step_ns") || layer != number("layer_ns"))) ++table_.different;
    table_.csv += std::string(csv_.text()) + fmt::format(",{},{}\n", layer, step);
  }

  const std::string file_, text_;
  files::CsvReader csv_;
  profile::KernelProfile& profile_;
  const profile::ServedModel& model_;
  profile::Ranks ranks_;
  profile::RankLinks links_;
  std::vector<files::CsvCell> cells_;
  std::map<std::string, std::size_t> columns_;
  std::string header_;
  std::map<std::int64_t, std::unique_ptr<ProfileStepTime>> times_;  // by tp
  Problems problems_;
  LookupTable table_;
};

}  // namespace

LookupTable look_up(const std::string& file, profile::KernelProfile& profile, const profile::ServedModel& model,
                    profile::Ranks ranks, const profile::RankLinks& links) {
  return Lookups(file, profile, model, ranks, links).run();
}

}  // namespace kb::requests

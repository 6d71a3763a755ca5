#include "sim/web/report/tornado_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "platform/views/svg.h"
#include "sim/web/report/static_part.h"

namespace kb::web {
namespace {

using result::Tornado;
using result::TornadoKey;
using result::TornadoTrial;
using views::escaped;

constexpr std::size_t kRows = 25;
constexpr std::size_t kMostLetters = 8;  // of a value beside its bar

std::string short_time(TimeFs time) {
  return duration_text(fs_to_ns(time));
}

// "+4.13 %"
std::string change_text(TimeFs time, TimeFs base) {
  constexpr double kPercent = 100;
  return fmt::format("{:+.2f} %", kPercent * (fs_to_ns(time) / fs_to_ns(base) - 1));
}

std::string shortened(const std::string& value) {
  if (value.size() <= kMostLetters) return value;
  std::size_t end = kMostLetters;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;  // within a letter of UTF-8
  return value.substr(0, end) + "…";
}

// The bars of all keys have one scale.
class Bars {
 public:
  explicit Bars(const Tornado& tornado) : base_(tornado.time), low_(tornado.time), high_(tornado.time) {
    for (const TornadoKey& key : tornado.keys) {
      for (const TornadoTrial& trial : key.trials) {
        low_ = std::min(low_, trial.time.value_or(base_));
        high_ = std::max(high_, trial.time.value_or(base_));
      }
    }
  }

  std::string legend() const {
    return "<p class=\"legend\"><span>line: the run as it is, " + short_time(base_) + "</span><span>from " +
           short_time(low_) + " (green: faster) to " + short_time(high_) + " (red: slower)</span></p>\n";
  }

  std::string svg(const TornadoKey& key) const {
    const TornadoTrial *least = nullptr, *most = nullptr;
    for (const TornadoTrial& trial : key.trials) {
      if (!trial.time) continue;
      if (*trial.time < base_ && (least == nullptr || *trial.time < *least->time)) least = &trial;
      if (*trial.time > base_ && (most == nullptr || *trial.time > *most->time)) most = &trial;
    }
    std::string marks;
    if (least != nullptr) marks += side(*least, false);
    if (most != nullptr) marks += side(*most, true);
    return "<svg class=\"swing\" width=\"100%\">" + marks +
           fmt::format("<rect class=\"boundmark\" x=\"{:.2f}%\" width=\"2\" height=\"100%\"/></svg>", at(base_));
  }

 private:
  double at(TimeFs time) const {
    constexpr double kPercent = 100;
    return kPercent * fs_to_ns(time - low_) / std::max(fs_to_ns(high_ - low_), 1e-6);
  }

  std::string side(const TornadoTrial& trial, bool slower) const {
    const double end = at(*trial.time), base = at(base_);
    return fmt::format(
        "<rect class=\"{}\" x=\"{:.2f}%\" width=\"{:.2f}%\" y=\"15%\" height=\"70%\"/><text x=\"{:.2f}%\" y=\"72%\" "
        "dx=\"{}\" text-anchor=\"{}\">{} <tspan>{}</tspan></text>",
        slower ? "more" : "less", std::min(end, base), std::max(end, base) - std::min(end, base), end,
        slower ? ".4em" : "-.4em", slower ? "start" : "end", escaped(shortened(trial.value)),
        change_text(*trial.time, base_));
  }

  TimeFs base_, low_, high_;
};

std::string meaning_of(const TornadoKey& key) {
  std::string text = key.text;
  for (const TornadoTrial& trial : key.trials) {
    if (trial.time) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", trial.value, short_time(*trial.time));
  }
  return text;
}

using KeyList = std::vector<const TornadoKey*>;

std::string key_table(const KeyList& keys, const Bars& bars) {
  std::string html = "<table class=\"data tornado\"><tbody>\n";
  for (const TornadoKey* key : keys) {
    html += "<tr><th scope=\"row\"><span class=\"keyname\" tabindex=\"0\">" + escaped(key->key) +
            " <span class=\"dim\">= " + escaped(key->value) + "</span><span class=\"meaning\">" +
            escaped(meaning_of(*key)) + "</span></span></th><td>" + bars.svg(*key) + "</td></tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string acting_keys(const Tornado& tornado) {
  const Bars bars(tornado);
  KeyList first, more;
  for (const TornadoKey& key : tornado.keys) {
    if (key.swing > 0_fs) (first.size() < kRows ? first : more).push_back(&key);
  }
  if (first.empty()) return "<p class=\"hint\">No key changes the time.</p>\n";
  std::string html = bars.legend() + key_table(first, bars);
  if (!more.empty()) {
    html += fmt::format("<details><summary>{} more</summary>\n", more.size()) + key_table(more, bars) + "</details>\n";
  }
  return html;
}

std::string fold(const char* title, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string html = fmt::format("<details><summary>{} ({})</summary><ul>", title, items.size());
  for (const std::string& item : items) html += "<li>" + item + "</li>";
  return html + "</ul></details>\n";
}

// The key stands before the message.
std::string message_of(const TornadoKey& key, const TornadoTrial& trial) {
  const std::string place = "--set: " + key.key + ": ";
  return trial.problem.rfind(place, 0) == 0 ? trial.problem.substr(place.size()) : trial.problem;
}

std::string other_keys(const Tornado& tornado) {
  std::vector<std::string> idle, impossible, not_run, not_tried;
  for (const TornadoKey& key : tornado.keys) {
    const bool measured = std::any_of(key.trials.begin(), key.trials.end(),
                                      [](const TornadoTrial& trial) { return trial.time.has_value(); });
    if (measured && key.swing == 0_fs) idle.push_back("<code>" + escaped(key.key) + "</code> " + escaped(key.text));
    for (const TornadoTrial& trial : key.trials) {
      const std::string what = "<code>" + escaped(key.key + "=" + trial.value) + "</code>";
      if (trial.not_run) not_run.push_back(what);
      if (!trial.problem.empty()) impossible.push_back(what + " " + escaped(message_of(key, trial)));
    }
  }
  for (const std::string& key : tornado.not_tried) not_tried.push_back("<code>" + escaped(key) + "</code>");
  return fold("Not run, because the budget is spent", not_run) + fold("Change nothing here", idle) +
         fold("Make no machine or no run", impossible) +
         fold("Not tried: names, places, models, and what follows from other keys", not_tried);
}

}  // namespace

std::string tornado_part(const analysis::RunWhy& found) {
  if (!found.tornado_problem.empty()) {
    return "<p class=\"message warn\">The keys of the machine are not shown: " + escaped(found.tornado_problem) +
           ".</p>\n";
  }
  if (!found.tornado) {
    return found.ladder ? "<p class=\"hint\"><code>kernbench why --machine DIR</code> measures what each key of the "
                          "machine does alone.</p>\n"
                        : "";
  }
  return "<section>\n<h2>What each key of the machine does, measured</h2>\n<p class=\"hint\">Each is changed alone, "
         "and "
         "the run made again; routes, algorithms and tiles are chosen again.</p>\n" +
         acting_keys(*found.tornado) + other_keys(*found.tornado) + "</section>\n";
}

}  // namespace kb::web

#include "tests/robustness/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <filesystem>

#include "tests/robustness/file_text.h"

namespace kb::robustness {
namespace {

constexpr std::size_t kSignature = 120;

std::string end_of(const Trial& trial) {
  if (trial.end.timed_out) return "too slow";
  if (trial.end.signal != 0) return fmt::format("signal {}", trial.end.signal);
  return fmt::format("exit {}", trial.end.code);
}

std::string family_of(const std::string& id) {
  return id.substr(0, id.find_first_of("0123456789-"));
}

}  // namespace

std::string signature(const Verdict& verdict) {
  if (verdict.judge == "control") return "control: " + verdict.text.substr(0, verdict.text.find(':'));
  std::string text;
  bool quote = false;
  for (const char c : verdict.text) {
    if (text.size() > kSignature) break;
    if (c == '\'') quote = !quote;
    if (quote && c != '\'') continue;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !text.empty() && text.back() == 'N') continue;
    text += digit ? 'N' : c;
  }
  return verdict.judge + ": " + text;
}

void Report::keep(const std::string& id, const AttackCase& attack, const Trial& trial, const Verdict& verdict) {
  const bool corpus = family_of(id) == "corpus";  // every case is a defect of its own
  Class& found = classes_[corpus ? id + " " + verdict.judge : signature(verdict)];
  if (++found.count > 1) return;
  found.id = id;
  found.text = verdict.text;
  found.folder = folder_ + "/" + id + "-" + verdict.judge;
  for (char& c : found.folder) c = c == ' ' ? '_' : c;
  std::error_code ignored;
  std::filesystem::remove_all(found.folder, ignored);  // of an earlier attack
  AttackCase noted = attack;
  noted.notes.push_back(verdict.judge + ": " + verdict.text.substr(0, verdict.text.find('\n')));
  write_case(found.folder, noted);
  write_text(found.folder + ".said", trial.err + "\n--- standard output\n" + trial.out.substr(0, 4000));
  fmt::print("FOUND {} {}: {}\n  cd {} && {}\n", id, verdict.judge, verdict.text, found.folder,
             command_line(attack, "kernbench").substr(0, 400));
  std::fflush(stdout);
}

void Report::add(const std::string& id, const AttackCase& attack, const Trial& trial,
                 const std::vector<Verdict>& verdicts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++trials_;
  ++families_[family_of(id)];
  ++ends_[end_of(trial)];
  if (trial.end.cpu_s > slowest_.value) slowest_ = {trial.end.cpu_s, id};
  const double megabytes = static_cast<double>(trial.end.peak_kb) / 1024;
  if (megabytes > largest_.value) largest_ = {megabytes, id};
  for (const Verdict& verdict : verdicts) keep(id, attack, trial, verdict);
}

void Report::skip(const std::string& family, const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  skipped_[family] = reason;
}

void Report::progress(const std::string& family, std::size_t done, std::size_t total) const {
  if (::isatty(STDOUT_FILENO) == 0 && done % 1000 != 0 && done != total) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  fmt::print("{}{} {} of {}, {} kinds of findings{}", ::isatty(STDOUT_FILENO) ? "\r" : "", family, done, total,
             classes_.size(), ::isatty(STDOUT_FILENO) && done != total ? "" : "\n");
  std::fflush(stdout);
}

std::string Report::summary() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text = fmt::format("{} trials:", trials_);
  for (const auto& [name, count] : families_) text += fmt::format(" {} {}", count, name);
  text += "\nends:";
  for (const auto& [name, count] : ends_) text += fmt::format(" {} {},", count, name);
  text += fmt::format("\nslowest {:.1f} s CPU ({}), largest {:.0f} MB ({})\n", slowest_.value, slowest_.id,
                      largest_.value, largest_.id);
  for (const auto& [name, reason] : skipped_) text += fmt::format("skipped {}: {}\n", name, reason);
  for (const auto& [key, found] : classes_) {
    text += fmt::format("{:6} x {} {}\n         {}\n", found.count, found.id, key, found.folder);
  }
  return text + fmt::format("{} kinds of findings\n", classes_.size());
}

}  // namespace kb::robustness

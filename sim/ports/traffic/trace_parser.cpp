#include "sim/ports/traffic/trace_parser.h"

#include <algorithm>

#include "platform/base/problem_limit.h"

namespace kb::sim {
namespace {

// An input that exceeds one of these limits is not a traffic file, or too large for a simulation.
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::size_t kMaxRows = 4'000'000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<PeCoord> parse_pe(std::string_view text) {
  const auto part = [&](std::string_view prefix, bool last) -> std::optional<std::uint32_t> {
    const std::size_t end = last ? text.size() : text.find('.');
    if (end == std::string_view::npos || text.substr(0, prefix.size()) != prefix) return std::nullopt;
    const auto index = parse_whole<std::uint32_t>(text.substr(prefix.size(), end - prefix.size()), 10);
    text.remove_prefix(std::min(text.size(), end + 1));
    return index;
  };
  const auto sip = part("sip", false);
  const auto cube = sip ? part("cube", false) : std::nullopt;
  const auto pe = cube ? part("pe", true) : std::nullopt;
  if (!pe) return std::nullopt;
  return PeCoord{SipId(*sip), CubeId(*cube), PeId(*pe)};
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  return hex ? parse_whole<std::uint64_t>(text.substr(2), 16) : std::nullopt;
}

bool TraceParser::take(std::string_view piece) {
  bytes_ += piece.size();
  while (!piece.empty() && !stopped_) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (unfinished_.size() + part.size() > kMaxLineBytes) {
      ++line_;
      stop("", "the line is longer than " + std::to_string(kMaxLineBytes) + " characters", row_form_);
    } else if (end == std::string_view::npos) {
      unfinished_ += part;
      break;
    } else if (unfinished_.empty()) {
      end_line(part);
    } else {
      unfinished_ += part;
      end_line(unfinished_);
      unfinished_.clear();
    }
    piece.remove_prefix(std::min(piece.size(), part.size() + 1));
  }
  if (!stopped_ && bytes_ > kMaxBytes) stop("", "the file has more than 1 GiB", "split it");
  return !stopped_;
}

Trace TraceParser::finish() {
  const bool complete = unfinished_.empty();
  if (!complete && !stopped_) {
    last_line_ = true;
    end_line(unfinished_);
  }
  if (problems_.empty()) check_end();
  if (!problems_.empty()) throw Error(std::move(problems_));
  if (!complete) {
    trace_.warnings.push_back({name_, line_, 0, "", "the last line does not end with a newline",
                               "if the file was cut off, this row may be incomplete"});
  }
  return std::move(trace_);
}

void TraceParser::end_line(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (++line_ == 1 && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    line.remove_prefix(kByteOrderMark.size());
  }
  take_text(trim(line));
  if (problems_.size() >= kMaxProblems) {
    stop("", "the rest of the file was not read", "correct the first problems and check again");
  } else if (trace_.rows.size() > kMaxRows) {
    stop("", "the file has more than " + std::to_string(kMaxRows) + " rows", "split it");
  }
}

void TraceParser::take_text(std::string_view line) {
  if (line.empty() || line.front() == '#') return;
  if (line.find('\0') != std::string_view::npos) {
    problem("", "the line contains a zero byte", "a traffic file is plain text");
  } else {
    take_line(line);
  }
}

void TraceParser::throw_problems_of_options() {
  for (Diagnostic& found : problems_) found.file.clear();
  if (!problems_.empty()) throw Error(std::move(problems_));
}

std::optional<PeCoord> TraceParser::pe_of(const std::string& column, const std::string& text) {
  const auto pe = parse_pe(text);
  if (!pe) {
    problem(column, "'" + text + "' is not a PE", "write a PE id such as sip0.cube0.pe0");
  } else if (!graph_.find_node(text + ".pe_dma")) {
    const topology::MachineSpec& spec = graph_.spec;
    problem(column, "the machine has no " + text,
            "it has " + std::to_string(spec.sip_count) + " SIPs of " + std::to_string(spec.cubes_per_sip()) +
                " cubes with " + std::to_string(spec.pes_per_cube()) + " PEs, counted from 0");
    return std::nullopt;
  }
  return pe;
}

}  // namespace kb::sim

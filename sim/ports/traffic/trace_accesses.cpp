// Accesses as memory simulators have them, each at an address of the traced program: DRAMSys' STL and Ramulator's
// traces of loads and stores. One PE asks for all of them.
#include <algorithm>
#include <cmath>
#include <optional>

#include "platform/address/address_config.h"
#include "platform/base/nearest.h"
#include "sim/ports/traffic/trace_parser.h"

namespace kb::sim {
namespace {

// The next word of a line, without the blanks around it.
std::string_view next_word(std::string_view& rest) {
  constexpr std::string_view kBlanks = " \t";
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(kBlanks)));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

std::string in_quotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

bool has_prefix(std::string_view number) {
  return number.substr(0, 2) == "0x" || number.substr(0, 2) == "0X";
}

std::string hex_text(std::uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return "0x" + std::string(digits, end);
}

// Common part: source, base, and the row of an access.
class AccessParser : public TraceParser {
 protected:
  AccessParser(const std::string& name, const topology::Graph& graph, const AccessOptions& options)
      : TraceParser(name, graph, "a line is one access"),
        options_(options),
        memory_(address::AddressConfig::from_spec(graph.spec)) {
    if (const auto source = pe_of("--src", options.source)) set_base(*source);
    throw_problems_of_options();
  }

  struct Access {
    bool write = false;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> cycle;
  };

  void take_access(const Access& access) {
    TraceRow row;
    row.line = line();
    row.id = std::to_string(row.line);
    row.op = access.write ? TraceOp::pe_write : TraceOp::pe_read;
    row.src = source_;
    row.bytes = access.bytes;
    if (access.cycle && !set_issue(row, *access.cycle)) return;
    const std::uint64_t most = window_bytes_ - base_offset_;
    if (access.bytes > most || access.address > most - access.bytes) {
      stop("address",
           hex_text(access.address) + " is outside of the memory: from --base " + hex_text(base_) + " on, " +
               target_text_ + " has " + format_bytes(most),
           "choose another --base, or a trace whose addresses fit; 'kernbench topology' shows the memories");
      return;
    }
    row.dst = base_ + access.address;
    if (const auto finding = target_.check(row.dst, row.bytes, source_)) {
      problem("address", hex_text(access.address) + ": " + finding->message, finding->remedy);
    } else {
      add(std::move(row));
    }
  }

  const AccessOptions& options() const { return options_; }

 private:
  void check_end() override {
    if (!has_rows()) problem("", "the file has no accesses", "write at least one");
  }

  void set_base(PeCoord source) {
    source_ = source;
    const auto written = options_.base.empty() ? std::nullopt : parse_hex(options_.base);
    if (!options_.base.empty() && !written) {
      problem("--base", in_quotes(options_.base) + " is not an address",
              "write a physical address in hexadecimal, e.g. 0x2000000000");
      return;
    }
    base_ =
        written
            ? *written
            : address::PhysAddr::pe_hbm_addr(source.sip, source.cube, source.pe, 0, memory_.hbm_slice_bytes).value();
    if (const auto finding = target_.check(base_, 1, source)) {
      problem("--base", hex_text(base_) + ": " + finding->message, finding->remedy);
      return;
    }
    const address::PhysAddr target = address::PhysAddr::decode(base_);
    base_offset_ = target.offset();
    window_bytes_ = target.is_hbm()    ? memory_.hbm_bytes_per_cube
                    : target.is_sram() ? memory_.sram_bytes_per_cube
                                       : memory_.tcm_bytes_per_pe;
    target_text_ = target.to_string();
    target_text_.resize(std::min(target_text_.size(), target_text_.find(" +")));
  }

  // False, and a problem, when the cycle is too late.
  bool set_issue(TraceRow& row, std::uint64_t cycle) {
    const long double ns = static_cast<long double>(cycle) * 1000.0L / static_cast<long double>(options_.clock_mhz);
    if (ns <= static_cast<long double>(kMaxTraceNs)) {
      row.issue = TimeFs(std::llroundl(ns * kFsPerNs));
      return true;
    }
    problem("cycle", "cycle " + std::to_string(cycle) + " is later than a thousand seconds", "check --clock-mhz");
    return false;
  }

  const AccessOptions options_;
  address::AddressConfig memory_;
  PeCoord source_;
  std::uint64_t base_ = 0, base_offset_ = 0, window_bytes_ = 0;
  std::string target_text_;
};

// "31: read 0x400140", "31: (64) write 0x400140 0xdata"; the data are not used.
class StlParser final : public AccessParser {
 public:
  StlParser(const std::string& name, const topology::Graph& graph, const AccessOptions& options, bool relative)
      : AccessParser(name, graph, options), relative_(relative) {}

 private:
  static constexpr const char* kForm = "write CYCLE: read|write ADDRESS, e.g. 31: read 0x400140";

  void take_line(std::string_view text) override {
    std::string_view rest = text;
    Access access;
    if (!take_cycle(next_word(rest), access)) return;
    std::string_view word = next_word(rest);
    access.bytes = options().bytes;
    if (!word.empty() && word.front() == '(') {
      if (!take_length(word, access)) return;
      word = next_word(rest);
    }
    if (word != "read" && word != "write") {
      problem("command", in_quotes(word) + " is not a command",
              word.empty() ? kForm : suggest(word, {"read", "write"}));
      return;
    }
    access.write = word == "write";
    word = next_word(rest);
    const auto address = parse_whole<std::uint64_t>(has_prefix(word) ? word.substr(2) : word, 16);
    if (!address) {
      problem("address", in_quotes(word) + " is not an address", "write a hexadecimal number, e.g. 0x400140");
      return;
    }
    access.address = *address;
    if (access.write) next_word(rest);  // the data
    if (const std::string_view more = next_word(rest); !more.empty()) {
      problem("", "unexpected " + in_quotes(more) + " at the end of the line", kForm);
      return;
    }
    take_access(access);
  }

  bool take_length(std::string_view word, Access& access) {
    const bool closed = word.size() > 2 && word.back() == ')';
    const auto bytes = closed ? parse_whole<std::uint64_t>(word.substr(1, word.size() - 2), 10) : std::nullopt;
    if (bytes && *bytes >= 1) {
      access.bytes = *bytes;
      return true;
    }
    problem("length", in_quotes(word) + " is not a length", "write bytes in parentheses, e.g. (64)");
    return false;
  }

  bool take_cycle(std::string_view word, Access& access) {
    if (!word.empty() && word.back() == ':') word.remove_suffix(1);
    const auto cycle = parse_whole<std::uint64_t>(word, 10);
    if (!cycle || (relative_ && *cycle > UINT64_MAX - cycle_)) {
      problem("cycle", in_quotes(word) + " is not a cycle", kForm);
      return false;
    }
    if (!relative_ && *cycle < cycle_ && !options().allow_unsorted) {
      stop("cycle",
           "cycle " + std::to_string(*cycle) + " is before cycle " + std::to_string(cycle_) + " of line " +
               std::to_string(cycle_line_),
           "sort the lines by time, or issue a late one at once with --allow-unsorted, as DRAMSys does; cycles that "
           "count from the line before are in files that end in .rstl");
      return false;
    }
    cycle_ = relative_ ? cycle_ + *cycle : std::max(cycle_, *cycle);
    cycle_line_ = line();
    access.cycle = cycle_;
    return true;
  }

  bool relative_;
  std::uint64_t cycle_ = 0;  // of the line before
  int cycle_line_ = 0;
};

// "LD 0x12340", "ST 4096". There are no times: one access per cycle of the clock, or without a clock all at once.
class LoadStoreParser final : public AccessParser {
 public:
  LoadStoreParser(const std::string& name, const topology::Graph& graph, const AccessOptions& options)
      : AccessParser(name, graph, options) {}

 private:
  void take_line(std::string_view text) override {
    std::string_view rest = text;
    const std::string_view command = next_word(rest), word = next_word(rest), more = next_word(rest);
    if ((command != "LD" && command != "ST") || !more.empty()) {
      problem("", in_quotes(text) + " is no load or store", "write LD ADDRESS or ST ADDRESS, e.g. LD 0x12340");
      return;
    }
    const bool hex = has_prefix(word);
    const auto address = parse_whole<std::uint64_t>(hex ? word.substr(2) : word, hex ? 16 : 10);
    if (!address) {
      problem("address", in_quotes(word) + " is not an address",
              "write a decimal number, or a hexadecimal one with 0x");
      return;
    }
    Access access;
    access.write = command == "ST";
    access.address = *address;
    access.bytes = options().bytes;
    if (options().clock_mhz > 0) access.cycle = accesses_;
    ++accesses_;
    take_access(access);
  }

  std::uint64_t accesses_ = 0;
};

}  // namespace

std::unique_ptr<TraceParser> make_stl_parser(const std::string& name, const topology::Graph& graph,
                                             const AccessOptions& options) {
  return std::make_unique<StlParser>(name, graph, options, false);
}
std::unique_ptr<TraceParser> make_relative_stl_parser(const std::string& name, const topology::Graph& graph,
                                                      const AccessOptions& options) {
  return std::make_unique<StlParser>(name, graph, options, true);
}
std::unique_ptr<TraceParser> make_load_store_parser(const std::string& name, const topology::Graph& graph,
                                                    const AccessOptions& options) {
  return std::make_unique<LoadStoreParser>(name, graph, options);
}

}  // namespace kb::sim

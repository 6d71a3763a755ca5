// Traces for `kernbench traffic` and what comes back.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "platform/base/ids.h"

namespace kb::evaluate {

// Draws that are the same on every computer: the engine is fixed by the C++ standard, its distributions are not.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t end) { return engine_() % end; }  // 0 .. end - 1
  bool happens(double probability) {
    constexpr double kScale = 1.0 / 9007199254740992.0;  // 2^-53
    return static_cast<double>(engine_() >> 11) * kScale < probability;
  }

 private:
  std::mt19937_64 engine_;
};

class Trace {
 public:
  explicit Trace(std::uint64_t slice_bytes) : slice_bytes_(slice_bytes) {}
  // To or from the HBM slice of `target`, at `offset`.
  void add(std::uint64_t issue_ns, const char* op, const PeCoord& source, const PeCoord& target, std::uint64_t offset,
           std::uint64_t bytes);
  std::string take() { return std::move(text_); }

 private:
  std::uint64_t slice_bytes_;
  std::uint64_t rows_ = 0;
  std::string text_ = "id,issue_ns,op,src,dst,bytes\n";
};

struct Transfer {
  double issue_ns = 0, delivered_ns = 0, completed_ns = 0;
  std::uint64_t bytes = 0;
};

// The rows of a result of `kernbench traffic --json`. Model Error when one was not answered OK.
std::vector<Transfer> read_transfers(const std::string& file);

PeCoord pe_at(std::uint64_t sip, std::uint64_t cube, std::uint64_t pe);
double last_delivered_ns(const std::vector<Transfer>& transfers);

}  // namespace kb::evaluate

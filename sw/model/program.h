// One step of a language model as the launches of a SIP: what `kernbench model step` simulates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/memory_kind.h"
#include "sw/model/spread.h"

namespace kb::sw {

struct ProgramTensor {
  std::string name, role;   // role: name without the layer
  std::int64_t layer = -1;  // -1: belongs to no layer
  Shape shape;              // on one SIP
  Dtype dtype = Dtype::bf16;
  Spread spread = Spread::tile;
  MemoryKind memory = MemoryKind::hbm;  // in the TCM: one place for the whole program, without an offset
  bool stays = false;                   // weights, caches, and numbers; false: shares its room with other activations
  std::uint64_t part = 0, offset = 0;   // bytes in a slice, and where
  std::vector<double> numbers;          // contents that the host writes before the step; empty: none
  std::vector<std::string> weights;     // tensors of the model's file that lie in it, one above the other
  bool cache = false;                   // keys or values
  std::optional<std::size_t> same_place = {};  // the tensor whose bytes these are, seen in another shape

  // Whether later steps need its contents.
  bool persists() const { return cache || !weights.empty(); }
};

struct TensorRef {
  std::size_t index = 0;
};

// An integer that grows with the number of the SIP among those of tensor parallelism.
struct RankMultiple {
  std::int64_t step = 0;
};

struct ProgramArg {
  std::string name;
  std::variant<TensorRef, RankMultiple, std::int64_t, double, std::string> value;
};

// A launch on all PEs of the SIP, or a sum over the SIPs of tensor parallelism.
struct ProgramLaunch {
  std::string kernel;  // "" for a sum
  std::string name;    // "qkv": equal in all layers
  std::int64_t layer = -1;
  std::vector<ProgramArg> args;  // of a sum: the tensor
  std::vector<std::size_t> ops;  // of the graph that it does
  bool is_sum() const { return kernel.empty(); }
  bool depends_on_rank() const;  // whether an argument does
};

struct Program {
  std::vector<ProgramTensor> tensors;
  std::vector<ProgramLaunch> launches;   // in order; each begins when the one before has ended
  std::size_t best = 0, best_logit = 0;  // next token of every sequence among those of this SIP, and its logit
  std::size_t ids = 0;                   // the new tokens
  std::size_t logits = 0;                // (sequences, tokens of the vocabulary on this SIP)
  std::int64_t classes = 1;              // of the layers' addresses (model::plan_arena)
  std::uint64_t slice_bytes = 0;         // that the tensors take in every slice
  std::int64_t ranks = 1;                // SIPs that share the tensors
};

// Launch by launch, with shapes; the same program gives the same text.
std::string program_text(const Program& program);

}  // namespace kb::sw

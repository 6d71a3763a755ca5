// What one step of a model works on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kb::model {

enum class Phase : std::uint8_t {
  decode,   // each sequence has one new token
  prefill,  // each sequence has a prompt, or a part of one
};

// Equal sequences. `past` tokens lie in the cache before the step, `tokens` are new.
struct Sequences {
  std::int64_t count = 1;
  std::int64_t past = 0;
  std::int64_t tokens = 1;

  std::int64_t context() const { return past + tokens; }
  // Pairs of a new token and a key that it sees, in one sequence; `window` as in LayerSpec.
  std::int64_t pairs(std::int64_t window) const;
  // Tokens whose keys the new tokens see.
  std::int64_t keys(std::int64_t window) const;
};

struct Batch {
  Phase phase = Phase::decode;
  std::vector<Sequences> sequences;

  std::int64_t size() const;    // sequences
  std::int64_t tokens() const;  // new ones
  std::int64_t longest_context() const;
  // Tokens that the cache holds after the step, in whole blocks; with a window no more than are seen.
  std::int64_t cached_tokens(std::int64_t window) const;
  std::string text() const;  // "4 x 1024, 1 x 64"
};

inline constexpr std::int64_t kCacheBlock = 16;  // tokens of a block of the cache (vLLM's default)

struct BatchChoice {
  Phase phase = Phase::decode;
  std::string sequences = "1";  // "8", or "4x1024,1x64": sequences x (decode: context, prefill: new tokens)
  std::int64_t context = 4096;  // decode: of entries without x; prefill: tokens that are cached already
  std::int64_t tokens = 512;    // prefill: of entries without x
};

// In a decode step the context counts the new token. Usage errors are configuration Errors that name the entry.
Batch make_batch(const BatchChoice& choice);

}  // namespace kb::model

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace kb::observe {

// Receives a text piece by piece, so that a long text is never completely in memory.
using TextSink = std::function<void(std::string_view piece)>;

inline constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

inline void pass_on(std::string& piece, const TextSink& sink) {
  sink(piece);
  piece.clear();
}

}  // namespace kb::observe

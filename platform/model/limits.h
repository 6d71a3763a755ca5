// Largest numbers in a model file, so that no product of them leaves 64 bits.
#pragma once

#include <cstdint>

namespace kb::model {

inline constexpr std::int64_t kMostHidden = std::int64_t{1} << 17;
inline constexpr std::int64_t kMostWidth = std::int64_t{1} << 20;
inline constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostLayers = std::int64_t{1} << 10;
inline constexpr std::int64_t kMostHeads = std::int64_t{1} << 12;
inline constexpr std::int64_t kMostHeadDim = std::int64_t{1} << 12;
inline constexpr std::int64_t kMostExperts = std::int64_t{1} << 12;
inline constexpr std::int64_t kMostPositions = std::int64_t{1} << 30;

}  // namespace kb::model

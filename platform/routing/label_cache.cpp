#include "platform/routing/label_cache.h"

namespace kb::routing {

std::uint64_t LabelCache::pack(const Key& key) {
  return (std::uint64_t{key.dst.value} << 32) | (std::uint64_t{key.other_sip.value & 0xffffffu} << 8) |
         static_cast<std::uint64_t>(key.purpose);
}

const LabelCache::Labels* LabelCache::find(const Key& key, bool& worth_keeping) {
  const auto [entry, is_new] = labels_.try_emplace(pack(key));
  worth_keeping = !is_new;
  return entry->second.empty() ? nullptr : &entry->second;
}

void LabelCache::keep(const Key& key, Labels labels) {
  size_ += labels.size();
  if (size_ > kMaxLabels) {
    labels_.clear();
    size_ = labels.size();
  }
  labels_[pack(key)] = std::move(labels);
}

}  // namespace kb::routing

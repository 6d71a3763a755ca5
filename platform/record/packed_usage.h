// Compact encoding of a use of a resource, until it is added to bins.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "platform/record/activity.h"

namespace kb::record {

// Words of four bytes: a head with the kind and the number of bytes, the gap since the end of the previous use, and the
// span; the busy time if it differs from the span; wait and queue if there was a wait. A use with a number that does
// not fit (4 us, half a GiB) has a separate kind with eight bytes per number.
class PackedUsage {
 public:
  static constexpr std::size_t kMaxBytes = 4 + 6 * sizeof(std::uint64_t);

  // `end` is the end of the previous use.
  PackedUsage(TimeFs end, const Usage& usage) : end_(end), usage_(usage) {
    const TimeFs span = usage.end - usage.begin;
    const auto wide = static_cast<std::uint64_t>((usage.begin - end).fs() | span.fs() | usage.busy.fs() |
                                                 usage.wait.fs() | static_cast<std::int64_t>(usage.queue));
    if (wide >> 32U != 0 || usage.bytes >> (32U - kKindBits) != 0) {
      kind_ = kLarge;
    } else {
      kind_ = (usage.busy == span ? 0 : kHasBusy) | (usage.wait == 0_fs && usage.queue == 0 ? 0 : kHasWait);
    }
  }

  std::size_t bytes() const { return kBytes[kind_]; }
  // Returns the end of the written bytes.
  char* put(char* to) const {
    if (kind_ == kLarge) return put_large(to);
    to = put_word(to, usage_.bytes << kKindBits | kind_);
    to = put_word(to, (usage_.begin - end_).fs());
    to = put_word(to, (usage_.end - usage_.begin).fs());
    if ((kind_ & kHasBusy) != 0) to = put_word(to, usage_.busy.fs());
    if ((kind_ & kHasWait) != 0) to = put_word(put_word(to, usage_.wait.fs()), usage_.queue);
    return to;
  }

  // Extends the use at `last` by a use that begins at its end. Both must be completely busy, and if the new use has
  // waits, so must the last one; bytes and waits then count as evenly distributed. False: the use must be appended
  // instead.
  static bool join(char* last, const Usage& usage) {
    const std::uint32_t head = word(last), kind = head & kKinds;
    const bool waits = kind == kHasWait;
    if (!usage.is_dense() || (kind != 0 && !waits)) return false;
    if (!waits && (usage.wait != 0_fs || usage.queue != 0)) return false;
    const std::uint64_t bytes = (head >> kKindBits) + usage.bytes;
    const std::uint64_t span = word(last + 8) + static_cast<std::uint64_t>((usage.end - usage.begin).fs());
    const std::uint64_t wait = waits ? word(last + 12) + static_cast<std::uint64_t>(usage.wait.fs()) : 0;
    if ((span | wait | usage.queue) >> 32U != 0 || bytes >> (32U - kKindBits) != 0) return false;
    put_word(last, bytes << kKindBits | kind);
    put_word(last + 8, span);
    if (waits) put_word(put_word(last + 12, wait), std::max<std::uint64_t>(word(last + 16), usage.queue));
    return true;
  }

  // Decodes the use at `from`; `usage` holds the previous use before and this one after the call. Returns the end of
  // the encoding.
  static const char* get(const char* from, Usage& usage) {
    const std::uint32_t head = word(from), kind = head & kKinds;
    if (kind == kLarge) return get_large(from + 4, usage);
    usage.begin = usage.end + TimeFs(word(from + 4));
    const TimeFs span = TimeFs(word(from + 8));
    usage.end = usage.begin + span;
    usage.bytes = head >> kKindBits;
    usage.busy = (kind & kHasBusy) != 0 ? TimeFs(word(from + 12)) : span;
    const char* const end = from + kBytes[kind];
    const bool waited = (kind & kHasWait) != 0;
    usage.wait = waited ? TimeFs(word(end - 8)) : 0_fs;
    usage.queue = waited ? word(end - 4) : 0;
    return end;
  }

 private:
  static constexpr std::uint32_t kHasBusy = 1, kHasWait = 2, kLarge = 4;
  static constexpr std::uint32_t kKindBits = 3, kKinds = (1U << kKindBits) - 1;
  static constexpr std::array<std::uint8_t, 5> kBytes = {12, 16, 20, 24, kMaxBytes};

  template <typename T>
  static char* put_word(char* to, T number) {
    const auto word = static_cast<std::uint32_t>(number);
    std::memcpy(to, &word, sizeof word);
    return to + sizeof word;
  }
  static std::uint32_t word(const char* from) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  using Numbers = std::array<std::uint64_t, 6>;
  char* put_large(char* to) const {
    const auto bits = [](TimeFs time) { return static_cast<std::uint64_t>(time.fs()); };
    const Numbers numbers = {bits(usage_.begin - end_),
                             bits(usage_.end - usage_.begin),
                             bits(usage_.busy),
                             bits(usage_.wait),
                             usage_.bytes,
                             usage_.queue};
    std::memcpy(put_word(to, kLarge), numbers.data(), sizeof numbers);
    return to + kMaxBytes;
  }
  static const char* get_large(const char* from, Usage& usage) {
    Numbers numbers;
    std::memcpy(numbers.data(), from, sizeof numbers);
    const auto time = [](std::uint64_t number) { return TimeFs(static_cast<std::int64_t>(number)); };
    usage.begin = usage.end + time(numbers[0]);
    usage.end = usage.begin + time(numbers[1]);
    usage.busy = time(numbers[2]);
    usage.wait = time(numbers[3]);
    usage.bytes = numbers[4];
    usage.queue = numbers[5];
    return from + sizeof numbers;
  }

  TimeFs end_;
  const Usage& usage_;
  std::uint32_t kind_ = 0;
};

}  // namespace kb::record

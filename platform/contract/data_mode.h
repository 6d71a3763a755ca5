// Whether a run computes the contents of memory, and when (D-1 .. D-5).
#pragma once

namespace kb::contract {

enum class DataMode { off, replay, eager };

}  // namespace kb::contract

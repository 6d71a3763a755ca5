// Which of kernbench's sources decided the times of this program.
#pragma once

namespace kb::step {

// SHA-256 over the sources of everything that the simulation of a launch links (cmake/KbTimingDigest.cmake), in
// hexadecimal digits. Two builds with equal digests simulate equal times.
const char* timing_digest() noexcept;

}  // namespace kb::step

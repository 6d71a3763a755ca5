// Kernels that exercise the machine without a computation.
#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Does nothing, or spends `cycles` cycles of the PE's CPU.
contract::Kernel noop_kernel();
// `calls` small loads and stores alternate inside the shard of `data` that this PE owns; its contents do not change.
contract::Kernel stream_kernel();

}  // namespace kb::kernels

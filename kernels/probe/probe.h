// Kernels that exercise the machine rather than compute.
#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Does nothing, or spends `cycles` of the PE's CPU.
contract::Kernel noop_kernel();
// `calls` small loads and stores by turns inside the shard of `data` this PE owns, which keeps its contents.
contract::Kernel stream_kernel();

}  // namespace kb::kernels

#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Every PE that runs the kernel copies the given range; both tensors may be at any PE of any cube and SIP.
contract::Kernel copy_kernel();
// Each PE copies the part of the destination that it owns from the same elements of the source.
contract::Kernel pull_kernel();

// dst[(x + write_shift) mod n] = src[(x + read_shift) mod n] for every element x in shard order. Every PE of the SIP
// copies an equal part, regardless of the elements' owners.
contract::Kernel rotate_kernel();

}  // namespace kb::kernels

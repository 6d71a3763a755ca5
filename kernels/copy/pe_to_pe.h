#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// The PE that owns src[src_offset] moves `elements` elements to the owner of dst[dst_offset]: by a store, or by a
// message from its direction E to the other PE's direction W.
contract::Kernel pe_to_pe_kernel();

}  // namespace kb::kernels

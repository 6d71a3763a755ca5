// Where the tensors of a program lie in the slices of a SIP.
#pragma once

#include "platform/model/arena.h"
#include "sw/model/program.h"

namespace kb::sw {

// Sets the offsets of all tensors, the classes of the layers' addresses, and the bytes that are taken of each slice.
// With a `resident` program, weights and caches lie where they are there, and all other tensors beyond its bytes. Model
// Error when it lacks one.
void place_program(Program& program, const model::ArenaGeometry& geometry, const Program* resident);

}  // namespace kb::sw

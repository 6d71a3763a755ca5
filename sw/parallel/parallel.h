// Everything that a tensor-parallel model needs.
#pragma once

#include "sw/distributed/process_group.h"
#include "sw/distributed/spawn.h"
#include "sw/parallel/embedding.h"
#include "sw/parallel/functions.h"
#include "sw/parallel/linear_layers.h"
#include "sw/parallel/mlp.h"
#include "sw/parallel/model_parallel.h"
#include "sw/parallel/regions.h"
#include "sw/parallel/transformer_block.h"

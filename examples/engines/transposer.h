#pragma once

#include <kernbench/platform/engine/engine_row.h>

// An engine that transposes matrices in square blocks: PE_TRANSPOSE, with one command.
kb::engine::EngineRow transposer();

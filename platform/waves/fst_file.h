// Waveforms as FST, GTKWave's compressed format.
#pragma once

#include <memory>

#include "platform/observe/output_file.h"
#include "platform/waves/i_wave_file.h"

namespace kb::waves {

// A small part of the size of a VCD with the same content.
std::unique_ptr<IWaveFile> make_fst_file(observe::OutputFile& file);

}  // namespace kb::waves

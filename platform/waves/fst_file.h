// Waveform files in FST, GTKWave's compressed format.
#pragma once

#include <memory>

#include "platform/observe/output_file.h"
#include "platform/waves/i_wave_file.h"

namespace kb::waves {

// Much smaller than a VCD file with the same contents.
std::unique_ptr<IWaveFile> make_fst_file(observe::OutputFile& file);

}  // namespace kb::waves

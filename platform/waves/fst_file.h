// Waveforms as FST, GTKWave's compressed format.
#pragma once

#include <memory>

#include "platform/observe/output_file.h"
#include "platform/waves/i_wave_file.h"

namespace kb::waves {

// Configuration Error when this program was built without the writer. A small part of the size of a VCD with the same
// content.
std::unique_ptr<IWaveFile> make_fst_file(observe::OutputFile& file);

// Throws that Error before any work; `name` is of the file.
void check_fst(const std::string& name);

}  // namespace kb::waves

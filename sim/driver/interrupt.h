#pragma once

namespace kb::sim {

// Ctrl-C and termination end the process at once with exit code 130, whatever it is doing, and leave no partial file.
// A write beyond the file size limit becomes an ordinary write error. A crash (of a plug-in, say) leaves no partial
// file either, names the likely cause and exits with code 3.
void install_interrupt_handlers();

}  // namespace kb::sim

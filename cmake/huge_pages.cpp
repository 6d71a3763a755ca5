// Read by jemalloc when the process starts. The state of a large machine is spread over more pages of 4 KiB than a CPU
// remembers translations for; on huge pages random traffic runs about a tenth faster.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "thp:always,metadata_thp:auto";
}

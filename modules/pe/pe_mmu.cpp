#include "modules/pe/pe_mmu.h"

namespace kb::modules {

void PeMmu::on_request(payload::Transaction& transaction, TimeFs) {
  transaction.status = {
      false, "UNSUPPORTED",
      node_id() + ": virtual memory is not part of this release; give physical addresses and map nothing"};
  respond(transaction, now());
}

}  // namespace kb::modules

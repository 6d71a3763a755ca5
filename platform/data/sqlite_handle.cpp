#include "platform/data/sqlite_handle.h"

#include <sqlite3.h>

namespace kb::data {

void SqliteClose::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);  // works even when an error has left a statement open
}
void SqliteClose::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

}  // namespace kb::data

#include "platform/data/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/base/error.h"
#include "platform/observe/signal_block.h"

namespace kb::data {
namespace {

// The file is not read before it is committed, and an interrupted run leaves none, so that no journal and no sync is
// needed. The cache bounds the memory of unwritten rows and of sorting; a larger one is slower.
constexpr const char* kSettings = R"sql(
PRAGMA page_size = 16384;
PRAGMA encoding = 'UTF-8';
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -2048;
)sql";

// SQLite's own function, which the replacement below calls.
int (*g_open)(const char*, int, int) = nullptr;

// SQLite creates such a file and then removes its name; a signal in between could end the process and leave it.
int open_nameless(const char* path, int flags, int mode) {
  if ((flags & O_EXCL) == 0) return g_open(path, flags, mode);
  const observe::SignalBlock block;
  const int file = g_open(path, flags, mode);
  if (file >= 0) ::unlink(path);
  return file;
}

// Sorting for an index may need temporary files; they are created in the folder of the log.
class SortingFolder {
 public:
  explicit SortingFolder(const std::string& file) {
    sqlite3_temp_directory = sqlite3_mprintf("%s", file.substr(0, file.rfind('/') + 1).c_str());
    if (files_ == nullptr || files_->iVersion < 3) return;
    g_open = reinterpret_cast<decltype(g_open)>(files_->xGetSystemCall(files_, "open"));
    files_->xSetSystemCall(files_, "open", reinterpret_cast<sqlite3_syscall_ptr>(open_nameless));
  }
  ~SortingFolder() {
    if (g_open != nullptr) files_->xSetSystemCall(files_, "open", reinterpret_cast<sqlite3_syscall_ptr>(g_open));
    g_open = nullptr;
    sqlite3_free(sqlite3_temp_directory);
    sqlite3_temp_directory = nullptr;
  }
  SortingFolder(const SortingFolder&) = delete;
  SortingFolder& operator=(const SortingFolder&) = delete;

 private:
  sqlite3_vfs* files_ = sqlite3_vfs_find(nullptr);
};

}  // namespace

void bind_text(sqlite3_stmt* statement, int column, std::string_view text) {
  sqlite3_bind_text(statement, column, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

SqliteFile::SqliteFile(observe::OutputFile& file) : file_(file) {
  refuse_stale_journal();
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(file_.working_path().c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  check(code);
  if (sqlite3_db_readonly(database, nullptr) != 0) file_.fail("write", "it cannot be opened again for writing");
  run(kSettings);
  run("BEGIN EXCLUSIVE");
}

// SQLite would apply left-over journals to the new database when it is opened.
void SqliteFile::refuse_stale_journal() {
  for (const char* ending : {"-journal", "-wal"}) {
    const std::string remains = file_.final_path() + ending;
    if (::access(remains.c_str(), F_OK) != 0) continue;
    throw Error::configuration("cannot create " + file_.purpose() + " '" + file_.path() + "': there is '" + remains +
                               "', which belongs to another database of this name; close or repair that one, or remove "
                               "the file");
  }
}

void SqliteFile::run(const std::string& sql) {
  check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

SqliteFile::Statement SqliteFile::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(database_.get(), sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  return Statement(statement);
}

void SqliteFile::execute(Statement& statement) {
  if (const int code = sqlite3_step(statement.get()); code != SQLITE_DONE) check(code);
  sqlite3_reset(statement.get());
}

void SqliteFile::check(int code) {
  if (code == SQLITE_OK) return;
  const int error_number = database_ ? sqlite3_system_errno(database_.get()) : 0;
  const std::string reason = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
  database_.reset();
  if ((code & 0xff) == SQLITE_FULL) file_.fail("write", std::strerror(ENOSPC));
  if ((code & 0xff) == SQLITE_IOERR && error_number != 0) file_.fail("write", std::strerror(error_number));
  file_.fail("write", reason);
}

void SqliteFile::run_sorting(const std::string& sql) {
  const SortingFolder folder(file_.working_path());
  run(sql);
}

void SqliteFile::finish() {
  run("COMMIT");
  if (const int code = sqlite3_close(database_.release()); code != SQLITE_OK) file_.fail("close", sqlite3_errstr(code));
  file_.complete();
}

}  // namespace kb::data

#include "results/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

static_assert(std::endian::native == std::endian::little,
              "blobs are written as they lie in memory");

// A reader waits for a commit, a commit for readers: neither takes long. SQLite's own handler soon
// looks every 100 ms only, and starves beside a writer that is quick to write again.
constexpr int kBusySeconds = 60;
constexpr int kBusyLooksPerSecond = 500;

int wait_for_others(void* /*unused*/, int looks) {
  std::this_thread::sleep_for(std::chrono::microseconds(1'000'000 / kBusyLooksPerSecond));
  return looks < kBusySeconds * kBusyLooksPerSecond ? 1 : 0;
}

// SQLite would first notice at some later statement, and makes a file it cannot read look new.
void check_is_sqlite(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    fail_usage(path + " is a directory, not a database");
  // By SQLite itself: to open and close the file beside it would drop the locks that connections of
  // this process hold (POSIX). Whatever else is amiss is told when the file is read.
  sqlite3* handle = nullptr;
  sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
  const int code = sqlite3_exec(handle, "PRAGMA schema_version", nullptr, nullptr, nullptr);
  sqlite3_close(handle);
  if (code == SQLITE_NOTADB)
    fail_usage(path + " is no bench database (not an SQLite file); it was left untouched");
}

void check_parent(const std::string& path) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return;
  fail_usage(format("{}: the folder {} does not exist; make it, or name another file with --db",
                    path, folder.string()));
}

// The file, and the folder, where its journal is made; SQLite tells neither which nor why.
void check_writable(const std::string& path) {
  const auto check = [](const std::string& what, const std::filesystem::path& at) {
    if (const std::string why = why_not_written(at.string()); !why.empty())
      fail_usage(format("{} cannot be written ({})", what, why));
  };
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  const std::filesystem::path journal = real.string() + "-journal";
  if (std::filesystem::exists(real)) check(path, real);
  const std::filesystem::path folder = real.parent_path();
  check(format("{}: its folder {}", path, folder.string()), folder);
  if (std::filesystem::exists(journal)) check(format("{}: {}", path, journal.string()), journal);
}

}  // namespace

std::string why_not_written(const std::string& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 ? "" : std::strerror(errno);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

void Statement::reset() { sqlite3_reset(statement_.get()); }

void Statement::bind_value(int index, std::int64_t value) {
  database_->check(sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::bind_value(int index, double value) {
  if (!std::isfinite(value)) fail(format("{} cannot be stored: not a finite number", value));
  database_->check(sqlite3_bind_double(statement_.get(), index, value));
}

void Statement::bind_value(int index, const std::optional<double>& value) {
  if (value) return bind_value(index, *value);
  database_->check(sqlite3_bind_null(statement_.get(), index));
}

void Statement::bind_value(int index, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  database_->check(sqlite3_bind_text64(statement_.get(), index, data, value.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_value(int index, std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) fail(format("{} cannot be stored: not a finite number", value));
  }
  if (values.empty()) {  // a null pointer would bind NULL
    database_->check(sqlite3_bind_zeroblob(statement_.get(), index, 0));
    return;
  }
  database_->check(sqlite3_bind_blob64(statement_.get(), index, values.data(), values.size_bytes(),
                                       SQLITE_TRANSIENT));
}

void Statement::bind_value(int index, std::span<const std::byte> bytes) {
  database_->check(
      sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    reset();
    database_->fail_with(code);
  }
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

std::int64_t Statement::integer(int index) const {
  return sqlite3_column_int64(statement_.get(), index);
}

double Statement::real(int index) const { return sqlite3_column_double(statement_.get(), index); }

std::optional<double> Statement::maybe_real(int index) const {
  if (sqlite3_column_type(statement_.get(), index) == SQLITE_NULL) return std::nullopt;
  return real(index);
}

std::string Statement::text(int index) const {
  const unsigned char* data = sqlite3_column_text(statement_.get(), index);
  if (data == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), index));
  return {reinterpret_cast<const char*>(data), size};
}

std::vector<double> Statement::doubles(int index) const {
  const void* data = sqlite3_column_blob(statement_.get(), index);
  const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), index));
  std::vector<double> values(bytes / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), data, values.size() * sizeof(double));
  return values;
}

std::string Statement::bytes(int index) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), index));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), index));
  return data == nullptr ? std::string() : std::string(data, size);
}

void Database::check_path(const std::string& path, Access access) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(path, error);
  if (error) fail_usage(format("{} cannot be reached ({})", path, error.message()));
  if (access == Access::write) {
    check_parent(path);
  } else if (!is_there) {
    fail_usage("there is no database at " + path + "; `bench run` makes one");
  }
  check_is_sqlite(path);
  if (access == Access::write) check_writable(path);
}

// A rollback journal, not WAL: SQLite up to 3.51.2 can lose commits or damage a WAL file when two
// connections write or checkpoint at once, and Debian 12 has 3.40.1. TRUNCATE with FULL syncs the
// journal's end as well as the data (DELETE would leave the folder unsynced), so a commit that
// returned survives a power loss.
Database::Database(const std::string& path, Access access) : path_(path) {
  check_path(path, access);
  // A reader too must be able to roll back what a killed writer left: query_only, not READONLY.
  // Its connection is one thread's at a time, and needs none of SQLite's mutexes.
  const int flags =
      SQLITE_OPEN_READWRITE | (access == Access::write ? SQLITE_OPEN_CREATE : SQLITE_OPEN_NOMUTEX);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(handle);
  check(code);
  sqlite3_busy_handler(handle, wait_for_others, nullptr);
  execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;");
  if (access == Access::read) {
    execute("PRAGMA query_only = ON;");
    return;
  }
  if (sqlite3_db_readonly(handle, "main") == 1) fail_usage(path + " cannot be written (read-only)");
  execute("PRAGMA page_size = 8192; PRAGMA journal_mode = TRUNCATE;");
}

Database::~Database() = default;

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                           nullptr));
  return {*this, statement};
}

void Database::execute(const std::string& script) {
  check(sqlite3_exec(handle_.get(), script.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t Database::integer(std::string_view query) {
  auto statement = prepare(query);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(std::string_view query) {
  auto statement = prepare(query);
  return statement.step() ? statement.text(0) : std::string{};
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }
std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

void Database::copy_to(const std::string& path) {
  if (std::filesystem::exists(path))
    fail_usage(path + " exists already; a backup overwrites nothing");
  // Under another name until it is whole: a backup cut short must not look like one.
  const std::string partial = path + ".partial";
  std::filesystem::remove(partial);
  {
    Database target(partial, Access::write);
    sqlite3_backup* backup =
        sqlite3_backup_init(target.handle_.get(), "main", handle_.get(), "main");
    if (backup == nullptr) target.fail_with(sqlite3_errcode(target.handle_.get()));
    const int code = sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
    if (code != SQLITE_DONE) target.fail_with(code);
  }
  std::filesystem::rename(partial, path);
  std::filesystem::remove(partial + "-journal");
}

void Database::check(int code) {
  if (code != SQLITE_OK) fail_with(code);
}

void Database::fail_with(int code) {
  const std::string text = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  const int system = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      fail_usage(path_ + " is no bench database (not an SQLite file); it was left untouched");
    case SQLITE_CORRUPT:
      fail(
          format("{} is damaged ({}); it was left untouched: go back to a backup, or save what can "
                 "be read with `sqlite3 {} .recover`",
                 path_, text, path_));
    case SQLITE_FULL:
      fail(path_ +
           ": the disk is full; all that was stored before is intact: make room and go on with "
           "--resume");
    case SQLITE_IOERR:
      fail(format("{}: reading or writing failed ({}); all that was stored before is intact", path_,
                  system == 0 ? text : text + ": " + std::strerror(system)));
    case SQLITE_READONLY:
      if (code == SQLITE_READONLY_ROLLBACK) {
        fail_usage(
            format("{} was being written by a process that died, which the next that may write it "
                   "puts right; here it cannot be written",
                   path_));
      }
      [[fallthrough]];
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      fail_usage(format("{} cannot be {} ({})", path_,
                        (code & 0xff) == SQLITE_CANTOPEN ? "opened" : "written",
                        system != 0 ? std::strerror(system) : text));
    case SQLITE_BUSY:
      throw Error(format("{} is in use: another process has held it for {} s", path_, kBusySeconds),
                  Exit::locked);
    default:
      fail(format("{}: {}", path_, text));
  }
}

Transaction::Transaction(Database& database, Access access) : database_(database) {
  database_.execute(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

// A failed statement may have rolled back already; a second ROLLBACK then only says so.
Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the first error is on its way
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

std::string sqlite_version() { return format("sqlite {}", sqlite3_libversion()); }

}  // namespace bench

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace bench {

enum class Access { read, write };

// Why a file or folder that is there cannot be written; empty: it can.
std::string why_not_written(const std::string& path);

class Database;

// A prepared statement. Not thread-safe; must not outlive its Database.
class Statement {
 public:
  // Starts anew with these values for the parameters ?1, ?2, ... Texts and blobs are copied.
  // A NaN or an infinity throws Error (SQLite would make it NULL).
  template <typename... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_value(++index, values), ...);
    return *this;
  }

  bool step();  // to the next row; false: there is none
  void run();   // of a statement without rows

  // Column `index`, from 0, of the current row.
  [[nodiscard]] std::int64_t integer(int index) const;
  [[nodiscard]] double real(int index) const;
  [[nodiscard]] std::optional<double> maybe_real(int index) const;  // nullopt: NULL
  [[nodiscard]] std::string text(int index) const;
  [[nodiscard]] std::vector<double> doubles(int index) const;  // a blob of doubles
  [[nodiscard]] std::string bytes(int index) const;            // a blob

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(Database& database, sqlite3_stmt* statement)
      : database_(&database), statement_(statement) {}

  void reset();
  void bind_value(int index, std::int64_t value);
  void bind_value(int index, int value) { bind_value(index, std::int64_t{value}); }
  void bind_value(int index, bool value) { bind_value(index, std::int64_t{value}); }
  void bind_value(int index, double value);
  void bind_value(int index, const std::optional<double>& value);
  void bind_value(int index, std::string_view value);
  void bind_value(int index, const char* value) { bind_value(index, std::string_view(value)); }
  void bind_value(int index, std::span<const double> values);  // as a blob
  void bind_value(int index, std::span<const std::byte> bytes);
  void bind_value(int index, const std::vector<double>& values) {
    bind_value(index, std::span<const double>(values));
  }

  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// One connection to one SQLite file. Every failure throws Error that names the file, what is wrong
// with it, and that what was stored before is intact.
class Database {
 public:
  // read: the file must be there, and no statement may change it. write: makes it if absent.
  Database(const std::string& path, Access access);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Throws Error (exit 2) if there cannot be a database at `path`: what the constructor checks too.
  static void check_path(const std::string& path, Access access);

  Statement prepare(std::string_view sql);
  void execute(const std::string& script);       // any number of statements, their rows ignored
  std::int64_t integer(std::string_view query);  // first column of the first row
  std::string text(std::string_view query);
  [[nodiscard]] std::int64_t last_row() const;  // rowid of the latest INSERT
  [[nodiscard]] std::int64_t changes() const;   // rows changed by the latest statement
  [[nodiscard]] const std::string& path() const { return path_; }

  // Copies all of it, while others may read and write, into a file that is not there yet.
  void copy_to(const std::string& path);

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  void check(int code);  // throws unless the code is fine
  [[noreturn]] void fail_with(int code);

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// Rolls back at its end unless committed. The write lock is taken at once: a transaction that
// began as a reader could not wait for it (SQLITE_BUSY ignores the timeout there).
class Transaction {
 public:
  explicit Transaction(Database& database, Access access = Access::write);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

// "sqlite 3.40.1", for `bench doctor`.
std::string sqlite_version();

}  // namespace bench

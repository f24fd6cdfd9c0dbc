#include "results/database.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "results/query.h"
#include "results/store.h"
#include "tests/results/errors.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

std::string open_error(const std::string& path, Access access, Exit* exit = nullptr) {
  return error_of([&] { return Store(path, access).database().path(); }, exit);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Runs the action in a child and gives what it returns; 99 if it died otherwise.
template <typename Action>
int in_child(Action action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

// The complaint that a user who owns nothing hears. Only root can ask as another.
std::string error_as_nobody(const std::string& path, Access access) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  in_child([&] {
    if (seteuid(65534) != 0) return 1;
    const std::string message = open_error(path, access);
    return write(ends[1], message.data(), message.size()) > 0 ? 0 : 1;
  });
  close(ends[1]);
  std::string words(500, '\0');
  const ssize_t bytes = ::read(ends[0], words.data(), words.size());
  close(ends[0]);
  return words.substr(0, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
}

std::string folder_of(const TestFolder& folder) {
  return std::filesystem::path(folder.file()).parent_path();
}

TEST(Database, SaysThatThereIsNoneToRead) {
  const TestFolder folder;
  Exit exit = Exit::ok;
  EXPECT_EQ(open_error(folder.file(), Access::read, &exit),
            "there is no database at " + folder.file() + "; `bench run` makes one");
  EXPECT_EQ(exit, Exit::usage);
  EXPECT_FALSE(std::filesystem::exists(folder.file()));
}

TEST(Database, NamesTheFolderThatIsMissing) {
  const TestFolder folder;
  const std::string path = folder.file("none/bench.db");
  EXPECT_EQ(open_error(path, Access::write),
            path + ": the folder " + folder.file("none") +
                " does not exist; make it, or name another file with --db");
}

TEST(Database, LeavesAFileOfAnotherKindUntouched) {
  const TestFolder folder;
  for (const std::string& bytes : {std::string("name: glm5\n"), std::string(100'000, '\0')}) {
    write_bytes(folder.file(), bytes);
    for (const auto access : {Access::read, Access::write}) {
      EXPECT_EQ(
          open_error(folder.file(), access),
          folder.file() + " is no bench database (not an SQLite file); it was left untouched");
    }
    EXPECT_EQ(bytes_of(folder.file()), bytes);
    EXPECT_FALSE(std::filesystem::exists(folder.file() + ".lock"));
  }
  EXPECT_EQ(open_error(std::filesystem::path(folder.file()).parent_path().string(), Access::write),
            std::filesystem::path(folder.file()).parent_path().string() +
                " is a directory, not a database");
}

TEST(Database, NamesADamagedFileAndLeavesItUntouched) {
  const TestFolder folder;
  Store(folder.file(), Access::write).add(measured_run(40, 3, 200));
  std::string bytes = bytes_of(folder.file());
  ASSERT_GT(bytes.size(), 200'000u);
  for (std::size_t i = 8192; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  write_bytes(folder.file(), bytes);
  const std::string message = error_of([&] {
    Store store(folder.file(), Access::read);
    return load_run(store, 1, LoadSamples::yes);
  });
  EXPECT_TRUE(message.starts_with(folder.file() + " is damaged (")) << message;
  EXPECT_EQ(bytes_of(folder.file()), bytes);
}

TEST(Database, AFileCutShortIsCalledDamaged) {
  const TestFolder folder;
  Store(folder.file(), Access::write).add(measured_run(40, 3, 200));
  std::filesystem::resize_file(folder.file(), 100'000);
  const std::string message = error_of([&] {
    Store store(folder.file(), Access::read);
    return load_run(store, 1, LoadSamples::yes);
  });
  EXPECT_TRUE(message.starts_with(folder.file() + " is damaged (")) << message;
}

TEST(Database, AnEmptyFileLeftByADeadProcessIsANewDatabase) {
  const TestFolder folder;
  write_bytes(folder.file(), "");
  Store store(folder.file(), Access::write);
  EXPECT_EQ(store.add(sample_run()), 1);
}

TEST(Database, AFullDiskKeepsAllThatWasStoredBefore) {
  const TestFolder folder;
  const RunRecord record = sample_run(2, 1000);
  std::int64_t stored = 0;
  std::string message;
  {
    Store store(folder.file(), Access::write);
    const std::int64_t run = store.add(record);
    store.database().execute("PRAGMA max_page_count = 60");
    message = error_of([&] {
      for (;; ++stored) store.add(run, sample_measurement(record.plan[0], stored, 1000));
      return 0;
    });
  }
  EXPECT_EQ(message,
            folder.file() +
                ": the disk is full; all that was stored before is intact: make room and go on"
                " with --resume");
  Store store(folder.file(), Access::write);
  EXPECT_GT(stored, 5);
  EXPECT_EQ(stored_measurements(store, 1).size(), static_cast<std::size_t>(stored));
  EXPECT_EQ(store.database().text("PRAGMA integrity_check"), "ok");
  store.add(1, sample_measurement(record.plan[0], stored, 1000));
}

// As on a file system that refuses to write: the limit makes write() fail in the middle of a
// commit.
TEST(Database, AFailedWriteKeepsAllThatWasStoredBefore) {
  const TestFolder folder;
  const RunRecord record = sample_run(2, 1000);
  const int result = in_child([&] {
    Store store(folder.file(), Access::write);
    const std::int64_t run = store.add(record);
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::int64_t stored = 0;
    const std::string message = error_of([&] {
      for (;; ++stored) store.add(run, sample_measurement(record.plan[0], stored, 1000));
      return 0;
    });
    if (message.find("all that was stored before is intact") == std::string::npos) return 98;
    return static_cast<int>(stored);
  });
  Store store(folder.file(), Access::write);
  EXPECT_GT(result, 5);
  EXPECT_EQ(stored_measurements(store, 1).size(), static_cast<std::size_t>(result));
  EXPECT_EQ(store.database().text("PRAGMA integrity_check"), "ok");
}

TEST(Database, SaysThatAFolderCannotBeWrittenAndStillReadsFromIt) {
  if (geteuid() != 0) GTEST_SKIP() << "changes its user, which only root can";
  const TestFolder folder;
  Store(folder.file(), Access::write).add(sample_run());
  std::filesystem::permissions(folder_of(folder), std::filesystem::perms(0555));
  std::filesystem::permissions(folder.file(), std::filesystem::perms(0444));
  EXPECT_EQ(error_as_nobody(folder.file(), Access::write),
            folder.file() + " cannot be written (Permission denied)");
  EXPECT_EQ(in_child([&] {
              if (seteuid(65534) != 0) return 1;
              Store store(folder.file(), Access::read);
              return list_runs(store).size() == 1 ? 0 : 2;
            }),
            0);
  std::filesystem::permissions(folder.file(), std::filesystem::perms(0666));
  EXPECT_EQ(error_as_nobody(folder.file(), Access::write),
            folder.file() + ": its folder " + folder_of(folder) +
                " cannot be written (Permission denied)");
}

// The system drops all locks that a process has on a file as soon as it closes any opening of it.
TEST(Database, KeepsItsLocksWhileAnotherIsOpenedBesideIt) {
  const TestFolder folder;
  Store(folder.file(), Access::write).add(sample_run());
  Database reader(folder.file(), Access::read);
  Transaction one_moment(reader, Access::read);
  EXPECT_EQ(reader.integer("SELECT count(*) FROM runs"), 1);
  const auto is_locked = [&] {
    return in_child([&] {
      struct flock lock {};
      lock.l_type = F_WRLCK;
      return fcntl(open(folder.file().c_str(), O_RDWR), F_GETLK, &lock) == 0 &&
                     lock.l_type != F_UNLCK
                 ? 1
                 : 0;
    });
  };
  EXPECT_EQ(is_locked(), 1);
  Database::check_path(folder.file(), Access::write);
  Database second(folder.file(), Access::read);
  EXPECT_EQ(second.integer("SELECT count(*) FROM runs"), 1);
  EXPECT_EQ(is_locked(), 1);
}

TEST(Database, NamesAJournalThatCannotBeWritten) {
  if (geteuid() != 0) GTEST_SKIP() << "changes its user, which only root can";
  const TestFolder folder;
  Store(folder.file(), Access::write).add(sample_run());
  const std::string journal = folder.file("bench.db-journal");
  write_bytes(journal, "");
  std::filesystem::permissions(journal, std::filesystem::perms(0644));
  std::filesystem::permissions(folder.file(), std::filesystem::perms(0666));
  std::filesystem::permissions(folder_of(folder), std::filesystem::perms(0777));
  EXPECT_EQ(error_as_nobody(folder.file(), Access::write),
            folder.file() + ": " + journal + " cannot be written (Permission denied)");
}

TEST(Database, SaysThatAFileInAFolderThatCannotBeEnteredCannotBeReached) {
  if (geteuid() != 0) GTEST_SKIP() << "changes its user, which only root can";
  const TestFolder folder;
  Store(folder.file(), Access::write).add(sample_run());
  for (const Access access : {Access::read, Access::write}) {
    EXPECT_EQ(error_as_nobody(folder.file(), access),
              folder.file() + " cannot be reached (Permission denied)");
  }
}

// What must be done first, by whoever may.
TEST(Database, SaysWhyAFileThatCannotBeWrittenCannotBeReadEither) {
  if (geteuid() != 0) GTEST_SKIP() << "changes its user, which only root can";
  const TestFolder folder;
  Store(folder.file(), Access::write).add(sample_run());
  const auto read_only = [&](const std::string& path) {
    std::filesystem::permissions(path, std::filesystem::perms(0444));
    return error_as_nobody(path, Access::read);
  };
  std::filesystem::copy_file(folder.file(), folder.file("old.db"));
  std::filesystem::permissions(folder_of(folder), std::filesystem::perms(0755));
  Database(folder.file("old.db"), Access::write).execute("PRAGMA user_version = 1");
  EXPECT_EQ(read_only(folder.file("old.db")),
            folder.file("old.db") +
                " cannot be written (Permission denied), and is of an older "
                "bench: read a copy, which will be brought up to date");
  // Killed in the middle of a transaction.
  EXPECT_EQ(
      in_child([&] {
        Database database(folder.file(), Access::write);
        database.execute("PRAGMA cache_size = 1; BEGIN; UPDATE planned_cases SET label = 'x'");
        database.execute("UPDATE cases SET canonical = canonical || id");
        _exit(7);
        return 0;
      }),
      7);
  ASSERT_GT(std::filesystem::file_size(folder.file("bench.db-journal")), 0U);
  EXPECT_EQ(read_only(folder.file()),
            folder.file() +
                " was being written by a process that died, which the next that may "
                "write it puts right; here it cannot be written");
}

TEST(Database, ABackupIsWholeAndOverwritesNothing) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  store.add(measured_run());
  store.database().copy_to(folder.file("copy.db"));
  Store copy(folder.file("copy.db"), Access::read);
  EXPECT_EQ(load_run(copy, 1, LoadSamples::yes).measurements.size(), 8u);
  EXPECT_EQ(error_of([&] { return store.database().copy_to(folder.file("copy.db")), 0; }),
            folder.file("copy.db") + " exists already; a backup overwrites nothing");
  EXPECT_FALSE(std::filesystem::exists(folder.file("copy.db.partial")));
}

TEST(Database, TextAndBlobsOfAnyContentComeBack) {
  const TestFolder folder;
  Database database(folder.file(), Access::write);
  database.execute("CREATE TABLE t (a TEXT NOT NULL, b BLOB NOT NULL, c REAL) STRICT");
  const std::string text("quote ' nul \0 ü", 16);
  database.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
      .bind(text, std::vector<double>{}, std::optional<double>{})
      .run();
  auto row = database.prepare("SELECT a, b, c FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), text);
  EXPECT_TRUE(row.doubles(1).empty());
  EXPECT_EQ(row.maybe_real(2), std::nullopt);
}

}  // namespace
}  // namespace bench

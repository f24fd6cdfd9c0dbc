#include "results/migrations.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "results/query.h"
#include "tests/results/errors.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

// A database as the first bench wrote it, by hand: it must open for ever.
constexpr const char* kVersionOne = R"sql(
  INSERT INTO runs VALUES (3, '0123456789abcdef0123456789abcdef', 'glm5', 'complete', 1796000000.5,
    1796000060.25, 'gpubox', 'before', 'as found', 'bench run configs/glm5.yaml', 'name: glm5', 'cbf29ce484222325');
  INSERT INTO facts VALUES (3, 'driver', '595.1', 'software');
  INSERT INTO devices VALUES (3, 'cuda', 0, 'NVIDIA H200', 'GPU-1', 4.07e12);
  INSERT INTO cases VALUES (1, '0000000000000001', 'runner=kernel;variant=native_fp8;context=1024',
    'kernel', 'native_fp8', '{"context":1024}');
  INSERT INTO planned_cases VALUES (1, 3, 1, 'single_stream', 0, 'context', 'context 1k', 1, 2, '', '{}');
  INSERT INTO measurements VALUES (1, 1, 3, 0, 'ok', '', 1796000001, 12.5, 2, 61.0, NULL, NULL, 1.98e9, '', '', 0);
  INSERT INTO samples VALUES (1, 2, x'000000000000F03F0000000000000040', x'');
  INSERT INTO stages VALUES (1, 0, 'cast', 0.0646, 66.8e9);
  INSERT INTO metric_kinds VALUES (1, 'tpot_s', 1, 's', 'lower', 'time per output token');
  INSERT INTO metrics VALUES (1, 1, 0.0956);
  INSERT INTO baselines VALUES (1, 3, 1796000100, 'accepted');
)sql";

void make_version_one(const std::string& path) {
  Database database(path, Access::write);
  migrate(database, migrations().subspan(0, 1));
  database.execute(kVersionOne);
}

TEST(Migrations, ADatabaseOfVersionOneOpensWithAllItHolds) {
  const TestFolder folder;
  make_version_one(folder.file());
  Store store(folder.file(), Access::read);
  EXPECT_EQ(store.database().integer("PRAGMA user_version"),
            static_cast<std::int64_t>(migrations().size()));
  const RunRecord run = load_run(store, resolve_run(store, "pinned"), LoadSamples::yes);
  EXPECT_EQ(run.info.number, 3);
  EXPECT_EQ(run.info.ended_unix_s, 1796000060.25);
  ASSERT_EQ(run.measurements.size(), 1u);
  EXPECT_EQ(run.measurements[0].what.parameters.context, 1024);
  EXPECT_EQ(run.measurements[0].samples_s, (std::vector<double>{1, 2}));
  EXPECT_EQ(run.measurements[0].telemetry.temperature_c, 61.0);
  EXPECT_EQ(run.measurements[0].metric("tpot_s"), 0.0956);
}

TEST(Migrations, EachStepIsTakenOnceAndInOrder) {
  const TestFolder folder;
  make_version_one(folder.file());
  const std::array<std::string_view, 3> scripts{
      migrations()[0], "ALTER TABLE runs ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'",
      "UPDATE runs SET colour = colour || '-blue'"};
  Database database(folder.file(), Access::write);
  migrate(database, scripts);
  migrate(database, scripts);
  EXPECT_EQ(database.text("SELECT colour FROM runs"), "grey-blue");
  EXPECT_EQ(database.integer("PRAGMA user_version"), 3);
  EXPECT_EQ(database.integer("PRAGMA foreign_keys"), 1);
}

TEST(Migrations, AStepThatFailsLeavesTheVersionBeforeIt) {
  const TestFolder folder;
  make_version_one(folder.file());
  const std::array<std::string_view, 2> broken{
      migrations()[0], "DROP TABLE metrics; ALTER TABLE nothing RENAME TO x"};
  Database database(folder.file(), Access::write);
  EXPECT_THROW(migrate(database, broken), Error);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM metrics"), 1);
}

TEST(Migrations, AStepThatLeavesRowsReferringToNothingIsRolledBack) {
  const TestFolder folder;
  make_version_one(folder.file());
  const std::array<std::string_view, 2> careless{migrations()[0], "DELETE FROM metric_kinds"};
  Database database(folder.file(), Access::write);
  EXPECT_NE(error_of([&] { return migrate(database, careless), 0; }).find("refer to nothing"),
            std::string::npos);
  EXPECT_EQ(database.integer("SELECT count(*) FROM metric_kinds"), 1);
}

TEST(Migrations, ANewerDatabaseIsRefusedWithTheVersionItNeeds) {
  const TestFolder folder;
  make_version_one(folder.file());
  Database(folder.file(), Access::write).execute("PRAGMA user_version = 9");
  Exit exit = Exit::ok;
  const std::string message =
      error_of([&] { return Store(folder.file(), Access::read).database().path(); }, &exit);
  EXPECT_EQ(message, folder.file() + " has version 9 of the store, this bench knows up to " +
                         std::to_string(migrations().size()) + ": use a bench that knows 9");
  EXPECT_EQ(exit, Exit::usage);
}

TEST(Migrations, AnotherProgramsDatabaseIsLeftUntouched) {
  const TestFolder folder;
  Database(folder.file(), Access::write).execute("CREATE TABLE photos (id INTEGER)");
  EXPECT_EQ(error_of([&] { return Store(folder.file(), Access::write).database().path(); }),
            folder.file() + " is another program's SQLite file; it was left untouched");
  EXPECT_EQ(Database(folder.file(), Access::read).integer("SELECT count(*) FROM sqlite_schema"), 1);
}

}  // namespace
}  // namespace bench

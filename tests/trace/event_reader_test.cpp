#include "results/trace/event_reader.h"

#include <gtest/gtest.h>

#include <map>

#include "harness/error.h"
#include "tests/trace/traces.h"

namespace bench {
namespace {

struct Notes : TraceHandler {
  void on_event(const TraceEvent& e) override {
    events.push_back(format("{}|{}|{}|{}|{}|{}", e.name, e.start_ns, e.duration_ns, e.external_id,
                            e.correlation, e.dims));
  }
  void on_member(std::string_view name, std::string_view value) override {
    members.emplace(name, value);
  }
  std::vector<std::string> events;
  std::map<std::string, std::string, std::less<>> members;
  EventsRead read;
};

void read_into(Notes& notes, const std::string& text) {
  const ScratchTrace file(text);
  ByteSource source(file.path());
  notes.read = read_events(source, file.path(), notes);
}

std::string complaint(const std::string& text) {
  Notes notes;
  try {
    read_into(notes, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    return error.what();
  }
  return "";
}

constexpr const char* kKernel =
    R"j({"ph": "X", "cat": "kernel", "name": "k<1>(int)", "pid": 0, "tid": 7, "ts": 12.345, "dur": 1.5,
        "args": {"External id": 3, "correlation": 9, "grid": [2, 1, 1], "block": [128, 1, 1]}})j";

TEST(EventReader, TakesTimesInWholeNanosecondsAndIds) {
  Notes notes;
  read_into(notes, format(R"({{"schemaVersion": 1, "traceEvents": [{}, {}]}})", kKernel, kKernel));
  EXPECT_EQ(notes.events, (std::vector<std::string>(2, "k<1>(int)|12345|1500|3|9|")));
  EXPECT_EQ(notes.read.damage, "");
  EXPECT_EQ(notes.members["schemaVersion"], "1");
}

TEST(EventReader, TakesMembersInAnyOrderAndBareArrays) {
  Notes notes;
  read_into(
      notes,
      R"([{"args": {"Input Dims": [[1, 2], []], "Concrete Inputs": ["", "{"], "External id": 4},
      "dur": 1, "ts": 5123806710450.826, "name": "aten::\"x\"", "cat": "cpu_op", "ph": "X"}])");
  EXPECT_EQ(notes.events,
            (std::vector<std::string>{R"(aten::\"x\"|5123806710450826|1000|4|0|[[1, 2], []])"}));
}

TEST(EventReader, PassesOverFlowsAndUnknownKinds) {
  Notes notes;
  read_into(
      notes,
      format(R"({{"traceEvents": [{{"ph": "s", "id": 1, "cat": "ac2g", "args": {{"a": {{}}}}}},
      {{"ph": "X", "cat": "python_function", "name": "}}", "ts": 1}}, {}], "traceName": "x"}})",
             kKernel));
  EXPECT_EQ(notes.events.size(), 1u);
  EXPECT_EQ(notes.read.events, 3);
  EXPECT_EQ(notes.members["traceName"], "\"x\"");
}

TEST(EventReader, ReadsATruncatedFileUpToTheDamageAndSaysWhere) {
  const std::string whole =
      format(R"({{"a": [1, {{}}], "traceEvents": [{}, {}]}})", kKernel, kKernel);
  const std::size_t second = whole.find("}}, {\"ph\"") + 2;
  for (std::size_t size = whole.find('[', 12) + 1; size < whole.size(); ++size) {
    Notes notes;
    read_into(notes, whole.substr(0, size));
    EXPECT_NE(notes.read.damage.find("the file ends early"), std::string::npos) << size;
    const std::size_t complete = size + 2 >= whole.size() ? 2 : size >= second ? 1 : 0;
    EXPECT_EQ(notes.events.size(), complete) << size;
  }
}

TEST(EventReader, StopsAtGarbageBetweenEvents) {
  Notes notes;
  read_into(notes, format(R"({{"traceEvents": [{}, oops {}]}})", kKernel, kKernel));
  EXPECT_EQ(notes.events.size(), 1u);
  EXPECT_NE(notes.read.damage.find("an event in braces is needed"), std::string::npos);
}

TEST(EventReader, SaysThatMoreFollowsTheTrace) {
  const std::string one = format(R"({{"traceEvents": [{}]}})", kKernel);
  for (const std::string& text : {one + one, one + "x", format("[{}] [", kKernel)}) {
    Notes notes;
    read_into(notes, text);
    EXPECT_EQ(notes.events.size(), 1u);
    EXPECT_NE(notes.read.damage.find("what follows the end"), std::string::npos) << text;
  }
}

TEST(EventReader, PassesOverAByteOrderMark) {
  Notes notes;
  read_into(notes, format("\xef\xbb\xbf{{\"traceEvents\": [{}]}}\n", kKernel));
  EXPECT_EQ(notes.events.size(), 1u);
  EXPECT_EQ(notes.read.damage, "");
}

TEST(ByteSource, OfGzipGivesTheSameBytesInPiecesOfAnySizeAndMayBeLeftEarly) {
  const auto bytes_in_pieces = [](std::size_t size) {
    ByteSource source(shipped("cast_eager"));
    std::string all;
    std::string piece(size, '\0');
    while (const std::size_t got = source.read(piece.data(), size)) all.append(piece, 0, got);
    EXPECT_EQ(source.damage(), "");
    return all;
  };
  const std::string all = bytes_in_pieces(std::size_t{1} << 24);
  EXPECT_EQ(all.size(), 2757900u);
  EXPECT_EQ(bytes_in_pieces(std::size_t{1} << 18), all);
  EXPECT_EQ(bytes_in_pieces(999), all);
  char first = 0;
  ByteSource(shipped("cast_eager")).read(&first, 1);
  EXPECT_EQ(first, all[0]);
}

TEST(EventReader, ReadsEventsAcrossManyWindows) {
  std::string text = R"({"traceEvents": [)";
  for (int i = 0; i < 12000; ++i) text += (i == 0 ? "" : ",") + std::string(kKernel);
  Notes notes;
  read_into(notes, text + "]}");
  EXPECT_GT(notes.read.bytes, 2 << 20);
  EXPECT_EQ(notes.events, (std::vector<std::string>(12000, "k<1>(int)|12345|1500|3|9|")));
}

TEST(EventReader, SaysInOneLineThatAFileIsNoTrace) {
  EXPECT_NE(complaint("").find("is empty"), std::string::npos);
  EXPECT_NE(complaint("ph,cat\n").find("is no trace"), std::string::npos);
  EXPECT_NE(complaint(R"({"a": 1})").find("without traceEvents"), std::string::npos);
  EXPECT_NE(complaint(R"({"a": [1, 2)").find("without traceEvents (damaged at byte"),
            std::string::npos);
}

TEST(Event, ReadsTimesOfEverySpelling) {
  std::int64_t ns = 0;
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::int64_t>>{
           {"0", 0},
           {"1.5", 1500},
           {"\"2\"", 2000},
           {"3.0001", 3000},
           {"1e3", 1000000},
           {"1764480000123456.789", 1764480000123456789},
           {"-1", -1000}}) {
    EXPECT_TRUE(read_time_ns(text, ns)) << text;
    EXPECT_EQ(ns, expected) << text;
  }
  EXPECT_FALSE(read_time_ns("NaN", ns));
  EXPECT_FALSE(read_time_ns("", ns));
  EXPECT_FALSE(read_time_ns("1e300", ns));
  EXPECT_FALSE(read_time_ns("98765432109876543210", ns));
  EXPECT_FALSE(read_time_ns("9223372036854775807.999", ns));
}

}  // namespace
}  // namespace bench

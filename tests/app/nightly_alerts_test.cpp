#include <algorithm>

#include "tests/app/nightly.h"

namespace bench {
namespace {

TEST_F(Nightly, TellsByFileCommandAndMailWhatIsNewAndOnlyOnce) {
  const Outcome first = nightly("tonight.yaml --night 2026-11-01");
  EXPECT_EQ(first.exit, 3) << first.err;  // nothing to judge it by
  for (const char* name : {"told.txt", "told.json", "told.mail"}) {
    EXPECT_NE(bench.read(name).find("bench baseline accept 1"), std::string::npos) << name;
  }
  EXPECT_EQ(bench.read("told.json").rfind("{\"schema_version\":1,", 0), 0u);
  EXPECT_EQ(bench.read("told.mail").rfind("To: team@example.org\nSubject: bench: tonight on ", 0),
            0u);
  EXPECT_NE(bench.read("told.mail").find("\n-t -i\n"), std::string::npos);
  const std::string told = bench.read("told.txt");
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-02").exit, 0);
  EXPECT_EQ(bench.read("told.txt"), told);
  const Outcome again = nightly("tonight.yaml --night 2026-11-02");
  EXPECT_EQ(again.exit, 0);
  EXPECT_NE(again.out.find("night 2026-11-02 is done: run 2"), std::string::npos) << again.out;
}

TEST_F(Nightly, AnAlertThatCannotBeSentIsKeptAndMakesTheExitCodeSaySo) {
  bench.write("tonight.yaml", std::string(kTonight) + "  - {file: absent/told.txt}\n");
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-01").exit, 3);
  ASSERT_EQ(bench.run("baseline accept latest --notes first").exit, 0);
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-02").exit, 3);
  const Outcome status = nightly("status tonight.yaml");
  EXPECT_NE(status.out.find("UNSENT  to file absent/told.txt (2 attempts)"), std::string::npos)
      << status.out;
  ASSERT_EQ(bench.shell("mkdir absent").exit, 0);
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-03").exit, 0);
  EXPECT_NE(bench.read("absent/told.txt").find("night 2026-11-01"), std::string::npos);
}

TEST_F(Nightly, MailHeadersAreAsciiAndOneLine) {
  std::string config = kTonight;  // named by its file
  bench.write("Größe der Nacht, lang genug für zwei Zeilen.yaml",
              config.erase(1, config.find("defaults") - 1));
  ASSERT_EQ(nightly("Größe*.yaml --night 2026-11-01").exit, 3);
  const std::string mail = bench.read("told.mail");
  const std::string headers = mail.substr(0, mail.find("\n\n"));
  EXPECT_TRUE(std::ranges::all_of(headers, [](char c) {
    return c == '\n' || (c >= ' ' && c <= '~');
  })) << headers;
  EXPECT_NE(headers.find("Subject: =?utf-8?B?"), std::string::npos) << headers;
  EXPECT_NE(bench.read("told.txt").find("Größe"), std::string::npos);
}

TEST_F(Nightly, AWebhookThatRefusesOrSendsElsewhereKeepsTheAlert) {
  bench.write("hook.py", R"(
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(int(open("answer").read()))
        self.send_header("Location", "/elsewhere")
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("port.partial", "w").write(str(server.server_port))
import os; os.rename("port.partial", "port")
server.serve_forever()
)");
  bench.write("tonight.yaml", std::string(kTonight) + "  - {webhook: \"${HOOK}\"}\n");
  const std::string night =
      "PATH=$PWD:$PATH TEAM=x HOOK=http://127.0.0.1:$(cat port)/s3cret $BENCH nightly tonight.yaml "
      "--night 2026-11-01; echo $?; ";
  const Outcome outcome = bench.shell(
      "python3 hook.py & hook=$!; while ! [ -e port ]; do sleep 0.05; done; echo 500 >answer; " +
      night + "echo 302 >answer; " + night + "echo 204 >answer; " + night + "kill $hook");
  EXPECT_NE(outcome.err.find("answered 500"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("answered 302"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("answered 204"), std::string::npos) << outcome.err;
  EXPECT_EQ((outcome.out + outcome.err).find("s3cret"), std::string::npos) << outcome.err;
  EXPECT_EQ(nightly("status tonight.yaml").out.find("UNSENT"), std::string::npos);
}

TEST_F(Nightly, AWebhookThatNeverAnswersIsGivenUpAndKeepsTheAlert) {
  bench.write("mute.py", R"(
import socket, time
server = socket.create_server(("127.0.0.1", 0))
open("port.partial", "w").write(str(server.getsockname()[1]))
import os; os.rename("port.partial", "port")
taken = [server.accept() for _ in range(2)]
time.sleep(60)
)");
  bench.write("tonight.yaml", std::string(kTonight) + "  - {webhook: \"${HOOK}\"}\n");
  const Outcome outcome = bench.shell(
      "python3 mute.py & hook=$!; while ! [ -e port ]; do sleep 0.05; done; PATH=$PWD:$PATH TEAM=x "
      "HOOK=http://127.0.0.1:$(cat port)/ $BENCH nightly tonight.yaml --night 2026-11-01; echo "
      "exit $?; kill $hook");
  EXPECT_NE(outcome.out.find("exit 3"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("could not be sent to webhook ${HOOK} ("), std::string::npos)
      << outcome.err;
  EXPECT_NE(bench.read("told.txt").find("night 2026-11-01"), std::string::npos);
  EXPECT_NE(nightly("status tonight.yaml").out.find("UNSENT  to webhook ${HOOK} (1 attempts)"),
            std::string::npos);
}

TEST_F(Nightly, TextThatBreaksLinesAndQuotesIsSoundJsonAndOneSubject) {
  bench.write("tonight.yaml", std::string(kTonight) +
                                  "  - {command: [sh, -c, \"cat >told.text\"]}\n"
                                  "  - {webhook: \"${HOOK}\", body: slack}\n");
  // The message names the database, whose folder is called  a "q' ü \xff <newline> b.
  const Outcome outcome = bench.shell(R"sh(
cat >hook.py <<'END'
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        open("told.slack", "wb").write(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("port.partial", "w").write(str(server.server_port))
os.rename("port.partial", "port")
server.handle_request()
END
python3 hook.py &
while ! [ -e port ]; do sleep 0.05; done
folder=$(printf 'a "q\047 \303\274 \377\nb'); mkdir "$folder"
PATH=$PWD:$PATH TEAM=x HOOK=http://127.0.0.1:$(cat port)/ $BENCH nightly tonight.yaml --night 2026-11-01 --db "$folder/bench.db"
python3 - <<'END'
import json
for name in ("told.json", "told.slack"):
    text = json.loads(open(name, "rb").read().decode("utf-8"))["text"]
    assert 'a "q\'\\\'\' \u00fc ' in text and "\nb/bench.db" in text, text
subject = open("told.mail", "rb").read().split(b"\n")[1]
assert subject.startswith(b"Subject: ") and subject.endswith(b": 1 baseline"), subject
assert open("told.text", "rb").readline().endswith(b"night 2026-11-01: 1 baseline\n")
print("sound")
END
)sh");
  EXPECT_NE(outcome.out.find("sound\n"), std::string::npos) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace bench

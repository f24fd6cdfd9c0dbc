#!/usr/bin/env python3
"""Plays thirty nights of `bench nightly` with planted events, and holds the alerts that reach a webhook
and a file against those that a careful person would want.
Usage: tests/nights.py BENCH [NIGHTS]   (fewer NIGHTS leave out what comes later)
BENCH_REAL_NIGHTS=1: real kernels on this CPU instead of scripted times: minutes, on a machine that does nothing else.
From night 12 to 24 the program is one whose cast is 3 % slower (tests/bench_planted with PLANTED=0.03 behind it). It is
kept to one core, and judged relative to a variant that does not change: from night to night this machine jumps by 20 %.
The baseline is the first night that bench accepts as one. One real night in ten may be unjudged besides: where the
machine was that restless, so it should be.
A small disk is mounted for it: as root, else in a namespace of its own (unshare -rm); without either
the night of the full disk is left out."""
import fcntl
import http.server
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

LAST = int(sys.argv[2]) if len(sys.argv) > 2 else 30
NOISY, KILLED, SLOWER, FULL, ABSENT, LOCKED, RECOVERED = 5, 8, 12, 15, 17, 20, 25
REAL = bool(os.environ.get("BENCH_REAL_NIGHTS"))
HALF = 24 if REAL else 12  # of the measurements of a night
DISK_MB = 400 if REAL else 160  # the program itself is kept there
REAL_CONFIG = """
name: nights
model: glm5
defaults:
  runner: kernel
  device: cpu
  layers: 1
  tensor_parallel: 8
  context: 256
  replicates: 16
  sampling: {{min_samples: 10, max_samples: 400, relative_error: 0.2%, max_time: 120ms, max_warm_up: 50ms}}
workloads:
  decode:
    variants: [full_pool_cast, planted]
    sweep: {{pool_tokens: [4k, 8k]}}
gates:
  - {{workload: decode, metric: tpot_s, min_effect: 1.5%, relative_to: full_pool_cast}}
"""
CONFIG = """
name: nights
defaults:
  runner: fake
  device: cuda           # the lock of a GPU, "GPU-fake"
  replicates: 8
  sampling: {{min_samples: 20, max_samples: 20}}
workloads:
  decode:
    variants: [full_pool_cast, native_fp8]
    sweep: {{context: [4k, 16k]}}
    script: "{script}"
gates:
  - {{workload: decode, metric: tpot_s, min_effect: 1%}}
"""
REST = """
keep: {{samples: 10d, metrics: forever, site: 14d}}
site: {{url: "https://bench.example/site"}}
alerts:
  - {{webhook: "${{NIGHTS_HOOK}}"}}
  - {{file: "{folder}/alerts.txt"}}
"""


def script(native, spread):
    """Replicates that are fast and slow in turn, by `spread`, hide any change, whatever the draw of the noise."""
    def steps(replicate, factor):
        return (f"full_pool_cast{replicate} = {factor * 40:g}ms@cast + {factor * 1000:g}ns*context@attention ~0.5%; "
                f"native_fp8{replicate} = {factor * native:g}ns*context@attention ~0.5%")

    odd = [steps(f"#{i}", 1 + spread) for i in range(1, 16, 2)] if spread else []
    return "; ".join([steps("", 1 - spread), *odd])


class Hook:
    """The webhook's receiver: can be away, on the same port."""

    def __init__(self):
        self.messages, self.port, self.server = [], 0, None
        self.start()

    def start(self):
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.messages.append(json.loads(body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Nights:
    def __init__(self, bench, folder, disk, hook):
        self.bench, self.folder, self.disk, self.hook = bench, folder, disk, hook
        self.original = bench
        self.config, self.database = f"{folder}/nights.yaml", f"{disk}/bench.db"
        self.locks = f"{folder}/locks"
        os.makedirs(self.locks, exist_ok=True)
        self.environment = {**os.environ, "BENCH_LOCKS": self.locks,
                            "NIGHTS_HOOK": f"http://127.0.0.1:{hook.port}/secret"}

    def command(self, number):
        core = ["taskset", "-c", str(max(os.sched_getaffinity(0)))] if REAL else []
        return core + [self.bench, "nightly", self.config, "--night", date(number), "--db", self.database]

    def write(self, native=1000, spread=0):
        with open(self.config, "w", encoding="utf-8") as file:
            file.write((CONFIG + REST).format(script=script(native, spread), folder=self.folder))

    def write_real(self, slower):
        """Installs the program of the night as an update would: another file under the same name."""
        program = f"{self.folder}/bench"
        shutil.copy(self.original, program + ".new")
        if slower:
            with open(program + ".new", "ab") as file:
                file.write(b"PLANTED=0.03\n")
        os.rename(program + ".new", program)
        self.bench = program
        with open(self.config, "w", encoding="utf-8") as file:
            file.write((REAL_CONFIG + REST).format(folder=self.folder))

    def run(self, number):
        done = subprocess.run(self.command(number), env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def accept(self, output):
        """Pins the night just played, if its gates can be judged by it: what the night's alert recommends."""
        done = subprocess.run([self.bench, "baseline", "accept", "latest", "--notes", "the first", "--db",
                               self.database], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode in (0, 3), done.stdout
        assert ("bench baseline accept" in output) == (done.returncode == 0), (output, done.stdout)
        return done.returncode == 0

    def rows(self, query):
        with sqlite3.connect(self.database) as connection:
            return connection.execute(query).fetchall()

    def kill_half_way(self, number):
        """kill -9 in the middle of the measurements; what was stored then."""
        process = subprocess.Popen(self.command(number), env=self.environment, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for line in process.stderr:
            if line.startswith(f"[{HALF}/"):
                break
        process.kill()
        process.wait()
        stored = self.rows("SELECT m.id, m.started_unix_s FROM measurements m WHERE m.run_id ="
                           " (SELECT max(id) FROM runs)")
        assert 0 < len(stored) < 2 * HALF + 8, len(stored)
        return stored


class Noise:
    """What a noisy night is: others who take the processor by fits and starts."""
    WORK = "import random, time\nwhile True:\n  end = time.monotonic() + random.uniform(0.05, 0.6)\n" \
           "  while time.monotonic() < end: pass\n  time.sleep(random.uniform(0.05, 0.6))"

    def __init__(self):
        self.workers = [subprocess.Popen([sys.executable, "-c", self.WORK]) for _ in range(4 * os.cpu_count())]

    def stop(self):
        for worker in self.workers:
            worker.kill()
            worker.wait()


def date(number):
    return f"2026-09-{number:02}"


def told(message):
    """A message in short: the night, and what it tells of."""
    items = [item["kind"] + " " + item["state"] if "kind" in item else item["words"].split(":")[0]
             for item in message["items"]]
    return message["night"], tuple(sorted(items))


def expected(full, baseline):
    hidden = 2 if REAL else 4  # all that the gate judges
    restless = [(1, ("baseline opened",))] if baseline > 1 else []
    messages = [*restless, (baseline, ("baseline opened",)),
                (NOISY, ("unjudged opened",) * hidden),
                (NOISY + 1, ("unjudged closed",) * hidden),
                (SLOWER, ("regression opened",) * 2),
                (FULL, ("not measured",)),
                (ABSENT + 1, (f"night {date(ABSENT)} did not run",)),
                (LOCKED, ("not measured",)),
                (RECOVERED, ("regression closed",) * 2)]
    return [(date(n), what) for n, what in messages if n <= LAST and (n != FULL or full)]


def check_killed(nights, stored, output):
    rows = dict(nights.rows("SELECT id, started_unix_s FROM measurements"))
    assert all(rows[key] == when for key, when in stored), "a stored measurement changed"
    runs, notes = nights.rows(f"SELECT count(DISTINCT run_id), notes FROM nights WHERE night = '{date(KILLED)}'")[0]
    assert runs == 1 and notes.startswith("interrupted, gone on with"), (runs, notes, output)
    assert nights.rows("SELECT count(*) FROM runs WHERE status <> 'complete'") == [(0,)], output


def play(nights, full):
    exits, stored, outputs, baseline = {}, None, {}, None
    for number in range(1, LAST + 1):
        if number == ABSENT:
            continue
        slower = SLOWER <= number < RECOVERED
        holder = filler = noise = None
        if REAL:
            nights.write_real(slower)
            noise = Noise() if number == NOISY else None
        else:
            nights.write(native=1030 if slower else 1000, spread=0.1 if number == NOISY else 0)
        if number == KILLED:
            stored = nights.kill_half_way(number)
        if number == SLOWER:
            nights.hook.stop()
        if number == LOCKED:
            name, = (n for n in os.listdir(nights.locks) if n.startswith("bench-cpu" if REAL else "bench-GPU-fake"))
            holder = open(f"{nights.locks}/{name}", "r+")
            fcntl.flock(holder, fcntl.LOCK_EX)
        if number == FULL and full:
            filler = f"{nights.disk}/filler"
            fill(filler, nights.disk)
        exits[number], outputs[number] = nights.run(number)
        if noise:
            noise.stop()
        if filler:
            os.remove(filler)
        if holder:
            holder.close()
        if number == SLOWER:
            nights.hook.start()
        if number == KILLED:
            check_killed(nights, stored, outputs[number])
        if baseline is None and nights.accept(outputs[number]):
            baseline = number
        assert baseline or (REAL and number < NOISY - 1), "no night was quiet enough to be the baseline"
    return exits, outputs, baseline


def fill(path, disk):
    """Leaves a little: a run of the night would need more."""
    free = os.statvfs(disk)
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - (3 << 20))


def beside_the_plan(got, want):
    """Messages that only say that a night could not be judged, or that this is over, where none was planned:
    what a real machine adds of its own, and a careful person wants to know."""
    planned = [night for night, _ in want]
    return [message for message in got if message[0] not in planned
            and all(item.startswith("unjudged ") for item in message[1])]


def check(nights, played, full):
    exits, outputs, baseline = played
    pinned, = nights.rows("SELECT run_id FROM baselines")[0]
    want = expected(full, baseline)
    got = [told(message) for message in nights.hook.messages]
    for message in nights.hook.messages:
        night, items = told(message)
        print(night, "; ".join(items))
        if REAL:
            print("    " + message["text"].strip().replace("\n", "\n    "), flush=True)
    more = beside_the_plan(got, want) if REAL else []
    unjudged = {int(night[-2:]) for night, items in more if "unjudged opened" in items}
    # Noise that hides a regression which is told already is no message, only an exit code.
    unjudged |= {n for n, code in exits.items() if REAL and code == 3 and SLOWER < n < RECOVERED and n not in (FULL, LOCKED)}
    assert len(unjudged) <= max(1, LAST // 10), ("too many nights unjudged", unjudged, more)
    got = [message for message in got if message not in more]
    assert got == want, (got, want)
    with open(f"{nights.folder}/alerts.txt", encoding="utf-8") as file:
        text = file.read()
    assert text.count("bench: nights on ") == len(want) + len(more), "the file has other alerts than the webhook"
    assert "secret" not in text + str(nights.rows("SELECT * FROM outbox")) + "".join(outputs.values())
    for number, code in exits.items():
        right = (75 if number == LOCKED else 3 if number <= baseline or number in (NOISY, *unjudged) or (number == FULL and full)
                 else 1 if SLOWER <= number < RECOVERED else 0)
        assert code == right, f"night {number} ended with {code}, not {right}:\n{outputs[number]}"
    besides = f", {len(unjudged)} nights unjudged besides" if unjudged else ""
    if LAST < SLOWER:
        return besides
    regression = next(m for m in nights.hook.messages if m["night"] == date(SLOWER))
    words = regression["items"][0]["words"]
    case = (["planted relative to full_pool_cast", "in cast", "by the program", "--only decode/full_pool_cast"] if REAL
            else ["decode, context 4k, native_fp8", "all of it in attention"])
    if REAL:
        noisy = next(m for m in nights.hook.messages if m["night"] == date(NOISY))
        assert all("other processes used" in item["words"] for item in noisy["items"]), noisy
    for part in case + ["again: bench run", f"run {pinned}, pinned", f"https://bench.example/site/compare-{pinned}-"]:
        assert part in words, (part, words)
    assert (1.015 if REAL else 1.028) < regression["items"][0]["ratio"] < (1.045 if REAL else 1.032), regression
    assert "could not be sent" in outputs[SLOWER], outputs[SLOWER]
    pages = [name for name in os.listdir(f"{nights.disk}/site") if re.fullmatch(r"run-\d+\.html", name)]
    assert len(pages) <= 16, pages
    left = [name for name in os.listdir(nights.disk) if ".partial" in name or ".reserve" in name]
    assert not left, left
    return besides


def main():
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        disk = f"{folder}/disk"
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", disk],
                                 stderr=subprocess.DEVNULL).returncode == 0
        if not mounted and "NIGHTS_UNSHARED" not in os.environ:
            trial = subprocess.run(["unshare", "-rm", "true"], stderr=subprocess.DEVNULL)
            if trial.returncode == 0:
                os.environ["NIGHTS_UNSHARED"] = "1"
                os.execvp("unshare", ["unshare", "-rm", sys.executable, *sys.argv])
        if not mounted:
            print("no disk of its own can be mounted: the night of the full disk is left out")
        try:
            bench = os.path.abspath(sys.argv[1])
            if REAL:
                bench = os.path.join(os.path.dirname(bench), "../../tests/bench_planted")
            nights = Nights(os.path.abspath(bench), folder, disk, Hook())
            played = play(nights, mounted)
            besides = check(nights, played, mounted)
        finally:
            if mounted:
                subprocess.run(["umount", "-l", disk], check=True)
    print(f"{LAST} nights, {len(expected(mounted, played[2]))} alerts, none wrong, none missing{besides}: {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()

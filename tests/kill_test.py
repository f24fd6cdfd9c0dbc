#!/usr/bin/env python3
"""Kills a running quickstart (kill -9) at random moments, each time going on with --resume: the
database always opens and is sound, and no stored measurement is ever lost, changed or doubled.
Usage: tests/kill_test.py BENCH [KILLS]"""
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = """SELECT p.workload, c.case_id, m.replicate, m.status, m.started_unix_s, m.sample_count, s.seconds
          FROM measurements m JOIN planned_cases p ON p.id = m.planned_id JOIN cases c ON c.id = p.case_id
          LEFT JOIN samples s ON s.measurement_id = m.id"""


def stored(database):
    """What is stored, keyed by case and replicate; fails when the file is not sound."""
    with sqlite3.connect(f"file:{database}?mode=rw", uri=True) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "integrity"
        rows = connection.execute(ROWS).fetchall()
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (1,), "more than one run"
    keyed = {row[:3]: row[3:] for row in rows}
    assert len(keyed) == len(rows), "a measurement is stored twice"
    return keyed


def main():
    bench, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(os.environ.get("SEED", time.time_ns() % 10**9))
    print(f"SEED={seed}")
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "bench.db")
        command = [bench, "run", os.path.join(ROOT, "configs/quickstart.yaml"), "--db", database]
        before, done = {}, 0
        while done < kills:
            resume = ["--resume"] if os.path.exists(database) else []
            process = subprocess.Popen(command + resume, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                process.wait(draw.uniform(0.05, 4.0))
                if process.returncode == 2 and not before:  # killed before the run was stored
                    os.remove(database)
                    continue
                assert process.returncode == 0, process.stderr.read().decode()
                print(f"complete after {done} kills; begun anew")
                assert len(stored(database)) >= len(before)
                os.remove(database)
                before = {}
                continue
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                done += 1
            if not os.path.exists(database):
                continue
            try:
                now = stored(database)
            except (sqlite3.OperationalError, AssertionError) as error:
                if before or "no such table" not in str(error) and "more than one run" not in str(error):
                    raise
                continue  # killed while the file was being made
            for key, value in before.items():
                assert now.get(key) == value, f"lost or changed: {key}"
            before = now
        if not before and os.path.exists(database):
            os.remove(database)  # the last kill came before the first measurement: begin anew
        code = subprocess.run(command + (["--resume"] if before else []), stdout=subprocess.DEVNULL).returncode
        assert code == 0, f"the last resume ended with {code}"
        after = stored(database)
        for key, value in before.items():
            assert after.get(key) == value, f"lost or changed: {key}"
        print(f"{kills} kills, {len(after)} measurements, none lost, changed or doubled")


if __name__ == "__main__":
    main()

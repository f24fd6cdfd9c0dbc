#!/usr/bin/env python3
"""A year of nights in one database, 365 runs x 200 cases x 8 replicates with the raw samples of the last 30
(the default policy), and what a night costs on top of it: the gate, the site, the size of the file.
Usage: tests/micro/year.py BENCH [FOLDER]   (a FOLDER keeps the database for the next time)"""
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

NIGHTS, CONTEXTS, REPLICATES, SAMPLES, KEPT = 365, 100, 8, 1000, 30
CONFIG = f"""
name: year
defaults: {{runner: fake, replicates: {REPLICATES}, sampling: {{min_samples: 20, max_samples: 20}}}}
workloads:
  decode:
    variants: [full_pool_cast, native_fp8]
    sweep: {{context: [{", ".join(str(1024 + 64 * i) for i in range(CONTEXTS))}]}}
    script: >-
      full_pool_cast = 10ms@cast + 1us*context@attention + 10us@plan + 10us@append + 20us@combine ~0.5%;
      native_fp8 = 1us*context@attention + 10us@plan + 10us@append + 20us@combine ~0.5%
gates: [{{workload: decode, metric: tpot_s, min_effect: 1%}}]
keep: {{samples: 30d, metrics: forever, site: 120d}}
"""


def clone(connection, night):
    """Run 1 again, `night` days later and a little otherwise; with samples if they would still be there."""
    execute = connection.execute
    execute("""INSERT INTO runs SELECT NULL, lower(hex(randomblob(16))), name, status, started_unix_s + ?1,
               ended_unix_s + ?1, host, tag, notes, argv, plan_source, fingerprint FROM runs WHERE id = 1""",
            (86400.0 * night,))
    run = execute("SELECT max(id) FROM runs").fetchone()[0]
    execute("INSERT INTO facts SELECT ?, name, value, role FROM facts WHERE run_id = 1", (run,))
    first = [execute(f"SELECT max(id) + 1 FROM {table}").fetchone()[0] for table in ("planned_cases", "measurements")]
    least = [execute(f"SELECT min(id) FROM {table} WHERE run_id = 1").fetchone()[0]
             for table in ("planned_cases", "measurements")]
    planned, measured = first[0] - least[0], first[1] - least[1]
    execute("""INSERT INTO planned_cases SELECT id + ?1, ?2, case_id, workload, position, axes, label, is_baseline,
               replicates, skip, settings FROM planned_cases WHERE run_id = 1""", (planned, run))
    execute("""INSERT INTO measurements SELECT id + ?1, planned_id + ?2, ?3, replicate, status, reason,
               started_unix_s + ?4, wall_s, sample_count, 61.0, 412.5, 100.0, 1.98e9, throttle_reasons,
               other_processes, negative_control FROM measurements WHERE run_id = 1""",
            (measured, planned, run, 86400.0 * night))
    execute("""INSERT INTO stages SELECT measurement_id + ?1, position, stage, seconds, bytes FROM stages
               WHERE measurement_id IN (SELECT id FROM measurements WHERE run_id = 1)""", (measured,))
    execute("""INSERT INTO metrics SELECT measurement_id + ?1, kind_id, value * (1 + 0.002 * (random() / 1e19))
               FROM metrics WHERE measurement_id IN (SELECT id FROM measurements WHERE run_id = 1)""", (measured,))
    if night >= NIGHTS - KEPT:
        execute("INSERT INTO samples SELECT id, ?2, ?3, ?4 FROM measurements WHERE run_id = ?1",
                (run, SAMPLES, struct.pack(f"<{SAMPLES}d", *[0.001 + 1e-9 * i for i in range(SAMPLES)]),
                 struct.pack(f"<{SAMPLES}d", *[1.98e9] * SAMPLES)))


def timed(what, target, *command):
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.monotonic() - start
    print(f"{what:44} {seconds:8.2f} s   {target}   (exit {done.returncode}) {done.stderr[:200]}", flush=True)
    return seconds


def make(bench, config, database):
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG)
    subprocess.run([bench, "run", config, "--db", database], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    connection.execute("DELETE FROM samples")
    connection.execute("UPDATE runs SET started_unix_s = started_unix_s - ?", (86400.0 * (NIGHTS - 1),))
    for night in range(1, NIGHTS):
        clone(connection, night)
    connection.execute("COMMIT")
    connection.close()
    subprocess.run([bench, "baseline", "accept", "1", "--notes", "first", "--db", database], check=True,
                   stdout=subprocess.DEVNULL)


def shift(database, factor):
    """Makes the last 100 nights slower in every case."""
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("""UPDATE metrics SET value = value * ?1
            WHERE kind_id IN (SELECT id FROM metric_kinds WHERE name = 'tpot_s')
              AND measurement_id IN (SELECT id FROM measurements WHERE run_id > ?2)""", (factor, NIGHTS - 100))


def measure(bench, folder):
    config, database, site = f"{folder}/year.yaml", f"{folder}/bench.db", f"{folder}/site"
    if not os.path.exists(database):
        make(bench, config, database)
    print(f"{'database':44} {os.path.getsize(database) / 1e9:8.3f} GB  (target 2 GB)")
    timed("gate", "target 2 s", bench, "gate", "latest", "--db", database)
    shift(database, 1.03)
    timed("gate, a step of 3 % in every case", "target 2 s", bench, "gate", "latest", "--db", database)
    shift(database, 1 / 1.03)
    shutil.rmtree(site, ignore_errors=True)  # of the time before
    timed("site, every page new", "target 10 s", bench, "report", "--site", site, "--db", database)
    for page in (f"run-{NIGHTS}.html", f"compare-1-{NIGHTS}.html"):
        os.remove(f"{site}/{page}")
    timed("site, one night more", "target 10 s", bench, "report", "--site", site, "--db", database)
    timed("prune --dry-run", "no target", bench, "prune", config, "--dry-run", "--db", database)
    timed("doctor (the preflight)", "target 2 s", bench, "doctor", config, "--db", database)


def main():
    bench = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        os.makedirs(sys.argv[2], exist_ok=True)
        return measure(bench, sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        measure(bench, folder)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Other readers of profiler traces and bench on one large file: time, memory, and what they add up.
Makes the file of a shipped trace with tests/grow_trace; installs HolisticTraceAnalysis into an
environment of its own, in the cache folder of tests/servers. Perfetto's trace processor comes from
no registry: it takes part where TRACE_PROCESSOR names its shell, or PATH has one.

    tests/peers/traces.py BENCH [BYTES]
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))
import servers  # noqa: E402

TESTS = Path(__file__).parents[1]
# Its breakdown cuts each time to whole microseconds; what it read is added up here.
HTA = """
import json, sys
from hta.trace_analysis import TraceAnalysis
from hta.utils.utils import get_kernel_type
trace = TraceAnalysis(trace_files={0: sys.argv[1]}, include_last_profiler_step=True).t
names, events = trace.symbol_table.get_sym_table(), trace.get_trace(0)
events = events[events["stream"].ne(-1)]
kinds = events["name"].map(lambda name: get_kernel_type(names[name]))
print(json.dumps(events["dur"].groupby(kinds).sum().to_dict()))
"""
JSON_LOAD = """
import json, sys
kernels = [e["dur"] for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("cat") == "kernel"]
print(json.dumps({"all": sum(kernels)}))
"""
ZLIB = """
import sys, zlib
inflate = zlib.decompressobj(31)
with open(sys.argv[1], "rb") as file:
    while data := file.read(1 << 18): inflate.decompress(data)
"""
PERFETTO = """
SELECT sum(dur) / 1e3 FROM slice WHERE category = 'kernel';
"""


def timed(*command):
    """What it prints, its wall and CPU seconds, and the most memory it held, in MB."""
    start = time.monotonic()
    child = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True, env={**os.environ, "HTA_DISABLE_NS_ROUNDING": "1"})
    text = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}")
    return text, time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def hta(path):
    python = servers.environment(["HolisticTraceAnalysis==0.5.0"], True)
    text, *cost = timed(python, "-c", HTA, path)
    return json.loads(text.strip().splitlines()[-1]), cost


def json_load(path):
    text, *cost = timed(sys.executable, "-c", JSON_LOAD, path)
    return json.loads(text), cost


def perfetto(path):
    shell = os.environ.get("TRACE_PROCESSOR") or shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    if not shell:
        raise servers.Missing("no trace_processor_shell here")
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
        query.write(PERFETTO)
        query.flush()
        text, *cost = timed(shell, "-q", query.name, path)
    return {"all": float(text.strip().splitlines()[-1])}, cost


def ours(bench, path):
    """Microseconds of kernels: by the kinds that the others tell, in the steps; and all of the file."""
    with tempfile.TemporaryDirectory() as folder:
        _, *cost = timed(bench, "trace", path, "--json", f"{folder}/out.json", "--db", f"{folder}/none.db")
        found = json.loads(Path(f"{folder}/out.json").read_text())
    count = len(found["steps"])
    steps = {name: category["step_s"] * count * 1e6 for name, category in found["categories"].items()}
    total = {"COMMUNICATION": steps.pop("collective"), "MEMORY": steps.pop("memory"),
             "COMPUTATION": sum(steps.values())}
    everything = {name: category["total_s"] * 1e6 for name, category in found["categories"].items()}
    total["all"] = sum(everything.values()) - everything["memory"]
    return total, cost


def difference(theirs, our):
    """Of the category that differs most."""
    return max(abs(value - our[name]) / max(value, 1e-9) for name, value in theirs.items())


def show(name, cost, over="", differs=""):
    wall, cpu, memory = cost
    print(f"| {name} | {wall:.2f} s | {cpu:.2f} s | {memory:.0f} MB | {over} | {differs} |", flush=True)


def main():
    bench, size = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "484e6"
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = f"{folder}/trace.json", f"{folder}/trace.json.gz"
        subprocess.run([TESTS / "grow_trace", TESTS / "trace/shipped/cast_eager.pt.trace.json.gz", size, plain],
                       check=True)
        with open(plain, "rb") as source, gzip.open(packed, "wb", 6) as target:
            shutil.copyfileobj(source, target, 1 << 20)
        totals, ours_cost = ours(bench, plain)
        print("| reader | wall | CPU | peak memory | time and memory over bench | differs by at most |")
        print("|---|---|---|---|---|---|")
        show("bench", ours_cost)
        for name, reader in {"HolisticTraceAnalysis 0.5": hta, "Python's json.load": json_load,
                             "Perfetto": perfetto}.items():
            try:
                found, cost = reader(plain)
                show(name, cost, f"{cost[0] / ours_cost[0]:.0f} x, {cost[2] / ours_cost[2]:.0f} x",
                     f"{difference(found, totals):.4%}")
            except (RuntimeError, servers.Missing) as error:
                print(f"| {name} | {error} |", flush=True)
        show("zlib alone, the file packed", timed(sys.executable, "-c", ZLIB, packed)[1:])
        show("bench, the file packed", ours(bench, packed)[1])


main()

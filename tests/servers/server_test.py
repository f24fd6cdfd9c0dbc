#!/usr/bin/env python3
"""A sweep over each route of a real server, with a small random model: exact counts in and out, TPOT
as by the server's own clock, counters that reconcile, nothing invalid. The server is built once a machine
(minutes); skips (exit 77) where it is not there and cannot be: no package registry, or BENCH_SERVERS=0.

    tests/servers/server_test.py BENCH llama.cpp|llama-cpp-python
"""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

import servers

SLOTS, CONTEXT = 8, 2048
PROMPT = 128
# llama-cpp-python reads all its text again at each token: hundreds take it half a minute.
TOKENS = {"llama.cpp": 200, "llama-cpp-python": 64}
SKIPPED = 77
MOST_OFF = 0.02  # of TPOT, from the server's own clock
CLOCK = "the TPOT of a request is"
CONFIG = """
name: {name}
workloads:
  sweep:
    runner: http
    endpoint: {url}
    engine: {route}
    context: {prompt}
    output_tokens: {tokens}
    requests: 16
    duration_s: 0
    warm_up_s: 0
    sweep: {{concurrency: [1, 2, 4, 8]}}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def command(name, port, build):
    """How the server is started, and its routes: each with whether the server tells its own clock and
    counters. llama-cpp-python counts no token of a stream: the finish reason has to say it."""
    model = servers.model(build, *(["whole"] if name == "llama-cpp-python" else []))
    if name == "llama.cpp":
        routes = [("llama.cpp", True), ("llama.cpp-completions", True), ("llama.cpp-chat", True)]
        # Repacked for AMX, this version finds no backend for the split latents of MLA, and aborts.
        return [servers.llama_server(build), "--no-repack", "--model", model, "--port", port, "--parallel", SLOTS,
                "--ctx-size", SLOTS * CONTEXT, "--no-kv-unified", "--threads", 1, "--metrics",
                "--no-ui"], routes
    python = servers.environment([servers.LLAMA_CPP_PYTHON], build,
                                 {"CMAKE_ARGS": "-DLLAVA_BUILD=OFF", "CMAKE_BUILD_PARALLEL_LEVEL": "2"})
    # By default a new request cuts off the one before it.
    return [python, "-m", "llama_cpp.server", "--model", model, "--port", port, "--n_ctx", CONTEXT,
            "--n_threads", 1, "--interrupt_requests", "False"], [("openai-text", False), ("openai-chat", False)]


def wait_until_up(url, server):
    for _ in range(600):
        try:
            if urllib.request.urlopen(f"{url}/v1/models", timeout=5).status == 200:
                return
        except OSError:
            pass
        assert server.poll() is None, "the server ended"
        time.sleep(0.2)
    raise AssertionError("the server did not come up within 2 minutes")


def measurements(database):
    """Each measurement's status, reason, label and metrics."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT m.id, m.status, m.reason, p.label FROM measurements m"
            " JOIN planned_cases p ON p.id = m.planned_id ORDER BY m.id").fetchall()
        for row, status, reason, label in rows:
            metrics = dict(connection.execute(
                "SELECT k.name, x.value FROM metrics x JOIN metric_kinds k ON k.id = x.kind_id"
                " WHERE x.measurement_id = ?", (row,)))
            yield status, reason, label, metrics


def check(route, telling, tokens, label, status, reason, metrics):
    """What is wrong with one measurement."""
    wrong = []
    if status != "ok" or (not telling and "by the finish reason 'length'" not in reason):
        wrong.append(f"{status}: {reason}")
    if metrics.get("failed_requests") != 0 or metrics.get("requests") != 16:
        wrong.append(f"{metrics.get('failed_requests')} of {metrics.get('requests')} failed")
    if metrics.get("output_tokens") != 16 * tokens:
        wrong.append(f"{metrics.get('output_tokens')} tokens out, {16 * tokens} asked")
    by_ids = not route.endswith(("-chat", "-text"))
    if by_ids and metrics.get("input_tokens") != 16 * PROMPT:
        wrong.append(f"{metrics.get('input_tokens')} tokens in, {16 * PROMPT} asked")
    if telling:
        if metrics.get("reconciliation") != 1:
            wrong.append(f"reconciliation {metrics.get('reconciliation')}")
        if not metrics.get("server_tpot_difference", 1) <= MOST_OFF:
            wrong.append(f"{CLOCK} off by {metrics.get('server_tpot_difference')}")
    if not metrics.get("tpot_s", 0) > 0:
        wrong.append("no TPOT")
    print(f"{route:22} {label:14} TPOT {metrics.get('tpot_s', 0) * 1e3:7.3f} ms, by the server "
          f"{metrics.get('server_tpot_s', 0) * 1e3:7.3f} ms, largest difference of a request "
          f"{metrics.get('server_tpot_difference', 0) * 100:.2f} %, reconciliation "
          f"{metrics.get('reconciliation')}: {', '.join(wrong) or 'ok'}", flush=True)
    return wrong


def sweep(bench, url, route, telling, tokens, folder):
    """What is wrong with a route. The machine may stand still between the server's clock and its write:
    where nothing but the clocks differ the same requests are sent once more. A fault of the counts, or of
    what a clock is held against, comes again."""
    wrong = sweep_once(bench, url, route, telling, tokens, folder)
    if wrong and all(w.startswith(CLOCK) for w in wrong):
        print("once more, for the clocks alone")
        wrong = sweep_once(bench, url, route, telling, tokens, folder)
    return wrong


def sweep_once(bench, url, route, telling, tokens, folder):
    config, database = f"{folder}/{route}.yaml", f"{folder}/{route}.db"
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(name=route, url=url, route=route, prompt=PROMPT, tokens=tokens))
    if os.path.exists(database):
        os.remove(database)
    done = subprocess.run([bench, "run", config, "--db", database, "--replicates", "1"],
                          env={**os.environ, "BENCH_LOCKS": folder}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    wrong = [w for status, reason, label, metrics in measurements(database)
             for w in check(route, telling, tokens, label, status, reason, metrics)]
    if done.returncode != 0 or wrong:
        print(done.stdout)
    return wrong if done.returncode == 0 else [*wrong, f"exit {done.returncode}"]


def main():
    bench, name = os.path.abspath(sys.argv[1]), sys.argv[2]
    port = free_port()
    try:
        start, routes = command(name, port, os.environ.get("BENCH_SERVERS") != "0")
    except servers.Missing as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/server.log", "w+") as log:
        server = subprocess.Popen([str(word) for word in start], stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_up(url, server)
            failed = [route for route, telling in routes
                      if sweep(bench, url, route, telling, TOKENS[name], folder)]
            if failed:
                log.seek(0)
                print(log.read()[-3000:])
        finally:
            server.kill()
            server.wait()
    print(json.dumps({"server": name, "failed": failed}))
    return 1 if failed else 0


sys.exit(main())

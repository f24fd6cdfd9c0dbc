#!/usr/bin/env python3
"""`bench ab` of two settings of one server: the verdict of a real difference, none of an equal pair, a start
that fails costs its replicate, and a killed harness leaves no server behind. With the server of tests/app that
streams at a given speed; BENCH_SERVERS=1: with llama.cpp from the cache (tests/servers/servers.py).
Usage: tests/ab_servers.py BENCH [STARTS]"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "servers"))
import servers  # noqa: E402

BENCH, STARTS = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "5"
CONFIG = """
name: servers
workloads:
  live:
    runner: http
    context: 64
    output_tokens: {tokens}
    requests: 4
    duration_s: 0
    warm_up_s: 0
servers:
  before: {{command: [{before}], ready: "http://127.0.0.1:{port}/health", deadline: 60s, stop_deadline: 5s}}
  after: {{command: [{after}], ready: "http://127.0.0.1:{port}/health", deadline: 60s, stop_deadline: 5s}}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def listening(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def stream(port, interval, **more):
    words = ["env", f"STREAM_PORT={port}", f"STREAM_INTERVAL_S={interval}",
             *(f"{name}={value}" for name, value in more.items()), sys.executable, HERE / "app/stream_server.py"]
    return ", ".join(f'"{word}"' for word in words)


def llama(port, threads):
    words = [servers.llama_server(False), "--no-repack", "--model", servers.model(False), "--port", port,
             "--threads", threads, "--parallel", 2, "--ctx-size", 2048, "--metrics", "--no-ui"]
    return ", ".join(f'"{word}"' for word in words)


def ab(folder, name, before, after, port, tokens=40, starts=STARTS):
    config = f"{folder}/{name}.yaml"
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(before=before, after=after, port=port, tokens=tokens))
    return [BENCH, "ab", config, "--pairs", starts, "--db", f"{folder}/{name}.db", "--all"]


def run(command, folder):
    done = subprocess.run(command, env={**os.environ, "BENCH_LOCKS": folder}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    print(done.stdout[done.stdout.find("live TPOT"):].strip(), flush=True)
    return done


def check_verdicts(folder, port, slow, fast, tokens):
    done = run(ab(folder, "faster", slow, fast, port, tokens), folder)
    assert done.returncode == 0 and "improved" in done.stdout, done.stdout + done.stderr
    done = run(ab(folder, "slower", fast, slow, port, tokens), folder)
    assert done.returncode == 1 and "regressed" in done.stdout, done.stdout + done.stderr
    done = run(ab(folder, "equal", fast, fast, port, tokens), folder)
    table = done.stdout[done.stdout.find("live TPOT"):]
    assert done.returncode == 0 and "improved" not in table and "regressed" not in table, done.stdout + done.stderr
    assert not listening(port), "a server was left"


def check_prediction(folder, port, slow, fast):
    """What the kernels alone predict stands beside what the servers show."""
    command = ab(folder, "predicted", slow, fast, port, starts="3")
    config = pathlib.Path(command[2])
    text = config.read_text().replace("servers:", """  step:
    runner: fake
    context: 64
    variants: [full_pool_cast, native_fp8]
    script: full_pool_cast = 6ms@cast; native_fp8 = 2ms@attention
servers:""")
    for side, variant in (("before", "full_pool_cast"), ("after", "native_fp8")):
        text = text.replace(f"  {side}: {{", f"  {side}: {{variant: {variant}, ")
    config.write_text(text)
    done = run(command, folder)
    assert done.returncode in (0, 3), done.stdout + done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith("live ") and "TPOT" not in line)
    predicted, achieved = (float(value) for value in re.findall(r"([+-][0-9.]+) ms", row))
    assert predicted == -4 and -8 < achieved < -2, row


def check_losses(folder, port):
    """One start fails and one dies in mid-measurement: what is left is judged, the reasons are told."""
    starts = f"{folder}/starts"
    bad = stream(port, 0.002, STREAM_STARTS=starts, STREAM_FAIL_START=2, STREAM_DIE_START=4)
    done = run(ab(folder, "losses", stream(port, 0.006), bad, port, starts="7"), folder)
    assert done.returncode == 0 and "improved" in done.stdout, done.stdout + done.stderr
    assert "no room for the KV cache" in done.stderr, done.stderr
    assert "an illegal memory access" in done.stderr, done.stderr
    assert done.stderr.count("is lost") == 2, done.stderr


def check_kill(folder, port):
    """kill -9 of the harness in mid-measurement: the server and what it started end, the lock is free."""
    children = f"{folder}/children"
    slow = stream(port, 0.2, STREAM_CHILD=children)
    process = subprocess.Popen(ab(folder, "killed", slow, slow, port), env={**os.environ, "BENCH_LOCKS": folder},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: listening(port), 30)
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until(lambda: not listening(port), 20)
    with open(children, encoding="utf-8") as file:
        child = int(file.read().split()[0])
    until(lambda: not os.path.exists(f"/proc/{child}"), 20)
    done = subprocess.run(ab(folder, "killed", stream(port, 0.002), stream(port, 0.002), port, starts="1")
                          + ["--wait", "20s"], env={**os.environ, "BENCH_LOCKS": folder}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert "replicate" in done.stderr and "is held by" not in done.stderr.split("(waiting)")[-1], done.stderr


def check_impostor(folder, port):
    """Another process has the port: it is named, and nothing is measured."""
    other = subprocess.Popen([sys.executable, HERE / "app/stream_server.py"], stdout=subprocess.DEVNULL,
                             env={**os.environ, "STREAM_PORT": str(port)})
    try:
        until(lambda: listening(port), 20)
        done = run(ab(folder, "impostor", stream(port, 0.002), stream(port, 0.002), port, starts="1"), folder)
        assert done.returncode == 3 and f"port {port} is taken by python3" in done.stderr, done.stderr
    finally:
        other.kill()
        other.wait()


def until(condition, limit):
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f"not within {limit} s"
        time.sleep(0.02)


def main():
    port = free_port()
    if os.environ.get("BENCH_SERVERS") == "1":  # on a machine that does nothing else: a busy one has no second core to give
        slow, fast, tokens, what = llama(port, 1), llama(port, 2), 200, "llama.cpp, 1 and 2 threads"
    else:
        slow, fast, tokens, what = stream(port, 0.006), stream(port, 0.002), 40, "a scripted server"
    with tempfile.TemporaryDirectory() as folder:
        check_verdicts(folder, port, slow, fast, tokens)
        if os.environ.get("BENCH_SERVERS") != "1":
            check_prediction(folder, port, slow, fast)
        check_losses(folder, port)
        check_kill(folder, port)
        check_impostor(folder, port)
    print(f"{what}: {STARTS} starts each, the verdicts right; losses told, nothing left behind")


if __name__ == "__main__":
    main()

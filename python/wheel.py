#!/usr/bin/env python3
"""Builds wheels of the Python package with the program inside.

    python/wheel.py                   for this machine
    python/wheel.py --all             for every platform
    python/wheel.py --out DIR         into DIR instead of python/dist

Needs Go and nothing else. The same source gives the same bytes, so a wheel can be checked by building it again.
"""

import argparse
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Go's names of a platform, and the wheel's. On Linux the program needs glibc's loader, through which it finds NVIDIA's driver.
PLATFORMS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64.manylinux2014_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64.manylinux2014_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}

RELEASE = "github.com/gosper-life/gosper/internal/result.release"  # the version of a program that is built without a history

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the oldest time that a zip file can name


def this_platform():
    machine = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return platform.system().lower(), machine


def version():
    """The last tag without its v; for other commits a development version, which counts commits since the tag or from the first one on."""
    git = ["git", "-C", str(HERE), "describe", "--tags", "--match", "v[0-9]*"]
    tag = subprocess.run(git, capture_output=True, text=True).stdout.strip().removeprefix("v")
    if not tag:
        heading = re.search(r"^## (\d+\.\d+\.\d+)$", (HERE.parent / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
        count = subprocess.run(["git", "-C", str(HERE), "rev-list", "--count", "HEAD"], capture_output=True, text=True).stdout.strip()
        return f"{heading.group(1) if heading else '0.0.0'}.dev{count or 0}"
    release, _, since = tag.partition("-")
    return f"{release}.post0.dev{since.split('-')[0]}" if since else release


def build_program(goos, goarch, to, number):
    env = dict(os.environ, GOOS=goos, GOARCH=goarch, CGO_ENABLED="0")
    go = ["go", "build", "-trimpath", f"-ldflags=-s -w -X {RELEASE}=v{number}", "-o", str(to), "./cmd/gosper"]
    subprocess.run(go, cwd=HERE.parent, env=env, check=True)


def wheel(goos, goarch, out):
    """Writes the wheel of a platform and returns its path."""
    tag = f"py3-none-{PLATFORMS[goos, goarch]}"
    number = version()
    info = f"gosper-{number}.dist-info"
    files = {}
    for path in sorted((HERE / "gosper").glob("*.py")) + [HERE / "gosper" / "py.typed"]:
        text = path.read_bytes()
        if path.name == "__init__.py":
            text = text.replace(b'__version__ = "0.0.0"', f'__version__ = "{number}"'.encode())
        files[f"gosper/{path.name}"] = text
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / ("gosper.exe" if goos == "windows" else "gosper")
        build_program(goos, goarch, program, number)
        files[f"gosper/bin/{program.name}"] = program.read_bytes()
    files[f"{info}/METADATA"] = metadata(number)
    files[f"{info}/WHEEL"] = "".join(
        ["Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\n"]
        + [f"Tag: py3-none-{t}\n" for t in PLATFORMS[goos, goarch].split(".")]
    ).encode()
    files[f"{info}/licenses/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    record = f"{info}/RECORD"
    files[record] = "".join(f"{name},{digest(data)},{len(data)}\n" for name, data in files.items()).encode() + f"{record},,\n".encode()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"gosper-{number}-{tag}.whl"
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # POSIX, whose permissions follow
            entry.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16  # pip looks for a regular file that may be run
            z.writestr(entry, data)
    partial.replace(path)
    return path


def metadata(number):
    """The description of the package, from the parts in pyproject.toml."""
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    return (
        "Metadata-Version: 2.1\n"
        "Name: gosper\n"
        f"Version: {number}\n"
        "Summary: Cellular automata at full speed: any rule, on all cores and NVIDIA GPUs\n"
        "License: Apache-2.0\n"
        "Project-URL: Source, https://github.com/gosper-life/gosper\n"
        "Requires-Python: >=3.9\n"
        "Requires-Dist: numpy>=1.21\n"
        "Provides-Extra: tables\n"
        "Requires-Dist: pandas; extra == 'tables'\n"
        "Description-Content-Type: text/markdown\n"
        f"\n{readme}"
    ).encode()


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="wheels for every platform")
    parser.add_argument("--out", type=Path, default=HERE / "dist", help="folder for the wheels")
    args = parser.parse_args()
    here = this_platform()
    if not args.all and here not in PLATFORMS:
        sys.exit(f"{'/'.join(here)}: there are wheels for {', '.join('/'.join(p) for p in PLATFORMS)}")
    for goos, goarch in PLATFORMS if args.all else [here]:
        print(wheel(goos, goarch, args.out), flush=True)


if __name__ == "__main__":
    main()

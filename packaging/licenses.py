#!/usr/bin/env python3
"""licenses.py PACKAGE TARGET...: the licences of the crates that a program or library contains, with their texts.

Most licences ask that their text goes with each copy of the code, and so with a program that contains it.
"""

import json
import subprocess
import sys
from pathlib import Path

NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE")


def cargo(*words):
    return subprocess.run(["cargo", *words], check=True, capture_output=True, text=True).stdout


def main(package, targets):
    metadata = json.loads(cargo("metadata", "--format-version=1", "--locked"))
    known = {(each["name"], each["version"]): each for each in metadata["packages"]}
    inside = set()
    for target in targets:
        words = ["--locked", "-p", package, "--target", target, "--edges", "normal,no-proc-macro", "--prefix", "none"]
        for line in cargo("tree", *words, "--format", "{p}").splitlines():
            name, version = line.split()[:2]
            inside.add((name, version.removeprefix("v")))
    print(f"Crates in {package}, and under which licences they may be used. Their texts follow, each once.\n")
    carriers = {}
    for key in sorted(inside):
        crate = known[key]
        # The project's own.
        if crate["source"] is None:
            continue
        folder = Path(crate["manifest_path"]).parent
        texts = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.name.upper().startswith(NAMES)]
        named = " ".join(key)
        authors = f"; {', '.join(crate['authors'])}" if crate["authors"] else ""
        print(f"{named}: {crate['license'] or crate['license_file']}{authors}{'' if texts else '; no text beside its code'}")
        for file in texts:
            carriers.setdefault(file.read_text(errors="replace").strip(), []).append(f"{named}: {file.relative_to(folder)}")
    for text, files in carriers.items():
        print("\n" + "=" * 100, *files, "-" * 100, text, sep="\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n")[0])
    main(sys.argv[1], sys.argv[2:])

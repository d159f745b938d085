#!/usr/bin/env python3
"""record_recovery.py SEED COUNT FOLDER [FAMILY...] : generates, records and writes FOLDER/<family>.jsonl, beside either scheduler's recorder.

Everything is recorded twice, each in a JVM of its own, and left out where the two differ; of the CapacityScheduler a third time with other names,
application ids and object hashes. Of three scenarios two are kept at most: those that recover most containers.
"""
import json
import os
import subprocess
import sys
import tempfile

import generate_recovery as generator
import record

HERE = os.path.dirname(os.path.abspath(__file__))


def run(scenarios, folder):
    given, got = os.path.join(folder, "in"), os.path.join(folder, "out")
    with open(given, "w") as f:
        f.writelines(json.dumps(s) + "\n" for s in scenarios)
    subprocess.run([os.path.join(HERE, "run.sh"), given, got], check=True)
    return {json.loads(l)["name"]: l for l in open(got)}


def in_order(line):
    """What has ended by application and number: numbers begin anew with each ResourceManager."""
    s = json.loads(line)
    for e in s["expect"]:
        e.get("completed", []).sort(key=lambda c: (c["app"], c["container"]))
    return json.dumps(s, separators=(",", ":")) + "\n"


def counts_twice(line):
    """Whether a leaf of the FairScheduler has more than its applications: what was recovered of one that waited for a running limit."""
    for e in json.loads(line)["expect"]:
        for q in e.get("queues", ()):
            used = [a.get("usage", {}) for a in e["apps"] if a["queue"] == q["name"]]
            if q.get("leaf") and any(n != sum(u.get(of, 0) for u in used) for of, n in q.get("usage", {}).items()):
                return True
    return False


def recovered(line):
    return sum(len(step.get("containers", ())) for step in json.loads(line)["steps"])


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    families = sys.argv[4:] or list(generator.FAMILIES)
    tried = (count * 3 + 1) // 2
    made = [generator.scenario(f, seed, i, tried) for f in families for i in range(tried)]
    with tempfile.TemporaryDirectory() as tmp:
        lines, again = run(made, tmp), run(made, tmp)
        for name in [n for n in lines if again.get(n) != lines[n]]:
            print("two recordings differ:", name, file=sys.stderr)
            del lines[name]
        if generator.CAPACITY:
            other = record.run([record.renamed(s) for s in made], tmp, "other")
            for name in list(lines):
                if name not in other or record.told(lines[name]) != record.told(other[name]):
                    print("depends on an order:", name, file=sys.stderr)
                    del lines[name]
    for name in list(lines):
        if not generator.CAPACITY and counts_twice(lines[name]):
            print("counts twice:", name, file=sys.stderr)
            del lines[name]
    lines = {name: in_order(line) for name, line in lines.items()}
    for family in families:
        names = [n for n in lines if n.rsplit("-", 2)[0] == family]
        best = sorted(names, key=lambda n: -recovered(lines[n]))[:count]
        with open(os.path.join(folder, family + ".jsonl"), "w") as f:
            f.writelines(lines[n] for n in names if n in best)


if __name__ == "__main__":
    main()

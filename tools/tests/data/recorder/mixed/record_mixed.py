#!/usr/bin/env python3
"""record_mixed.py SEED COUNT OUT.jsonl : generates COUNT scenarios, records them as record.py does, and writes those that depend on no order.

Says on standard error what became of the others, and how many of those that were written have what.
"""
import json
import os
import subprocess
import sys
import tempfile

import generate
import generate_mixed
import record
from record_recovery import in_order

NAMES = set(generate_mixed.dynamic.USERS + generate_mixed.dynamic.GROUPS)


def words(text):
    """Users and groups in an ACL with the tail of the names."""
    out, word = "", ""
    for c in text + "\0":
        if c.isalnum():
            word += c
            continue
        out += word + (record.TAIL if word in NAMES else "") + c
        word = ""
    return out[:-1]


def renamed(scenario):
    made = record.renamed(scenario)
    for conf in [made["capacity"]] + [step["capacity"] for step in made["steps"] if "capacity" in step]:
        for key, value in conf.items():
            if ".acl_" in key:
                conf[key] = words(value)
    return made


def has(line):
    """What it mixes."""
    s = json.loads(line)
    conf, ops = s["capacity"], {step["op"] for step in s["steps"]}
    shown = s["expect"]
    errors = {e["error"]["kind"] for e in shown if "error" in e}
    marks = sum(len(e.get("marked", ())) for e in shown)
    return {
        "acls": s["properties"].get("yarn.acl.enable") == "true", "refused by an acl": bool(errors & {"acl", "priority-acl"}),
        "mapping rules": any(k.endswith(("queue-mappings", "mapping-rule-json")) for k in conf),
        "queues that made themselves": any("made" in q for e in shown for q in e.get("queues", ())),
        "lazy preemption": conf.get(generate.P + "lazy-preemption-enabled") == "true",
        "lazy preemption with marks": conf.get(generate.P + "lazy-preemption-enabled") == "true" and marks > 0,
        "marks": marks > 0, "reservations": any(e.get("reserved") for e in shown), "rounds": "round" in ops, "restarts": "restart" in ops,
        "nodes that change": bool(ops & {"node-resize", "decommission"}), "attempts": "attempt" in ops, "moves": "move" in ops, "reloads": "reload" in ops,
    }


def main():
    seed, count, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    made = [generate_mixed.scenario(seed, i, count) for i in range(count)]
    with tempfile.TemporaryDirectory() as tmp:
        lines, again = record.run(made, tmp), record.run(made, tmp)
        other = record.run([renamed(s) for s in made], tmp, "other")
    kept = [n for n in lines if again.get(n) == lines[n] and n in other and record.told(lines[n]) == record.told(other[n])]
    kept = [n for n in kept if json.loads(lines[n])["steps"]]
    with open(out, "w") as f:
        f.writelines(in_order(lines[n]) for n in kept)
    print(len(made), "made,", len(lines), "recorded,", len(kept), "kept", file=sys.stderr)
    counts = {}
    for n in kept:
        for what, is_so in has(lines[n]).items():
            counts[what] = counts.get(what, 0) + is_so
    print(json.dumps(counts), file=sys.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""compare.py DECIDED RECORDED: whether a real scheduler showed the same after each step of each scenario."""
import json
import struct
import sys

CUT = 200


def plain(value):
    """Without what is as good as absent: empty lists, zeros, false, and weights, which recordings leave out. Fractions are of 32 bits."""
    if isinstance(value, dict):
        out = {key: plain(inner) for key, inner in value.items() if key != "weight"}
        return {key: inner for key, inner in out.items() if inner not in (0, [], {}, False, None)}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, float):
        return struct.unpack("f", struct.pack("f", value))[0]
    return value


def read(path):
    with open(path) as f:
        return {scenario["name"]: scenario for scenario in map(json.loads, f)}


def main():
    decided, recorded = read(sys.argv[1]), read(sys.argv[2])
    steps = cut_steps = cuts = grants = ends = 0
    wrong = []
    for name, ours in decided.items():
        real = recorded.get(name)
        if real is None or ours["steps"] != real["steps"]:
            wrong.append((name, -1, "the recorder did not do all steps", ""))
            continue
        pairs = list(zip(ours["expect"], real["expect"]))
        for at, (mine, theirs) in enumerate(pairs):
            if plain(mine) != plain(theirs):
                fields = [field for field in set(mine) | set(theirs) if plain(mine.get(field)) != plain(theirs.get(field))]
                shown = {field: (mine.get(field), theirs.get(field)) for field in fields}
                wrong.append((name, at, ours["steps"][at], json.dumps(shown)[:600]))
                break
        else:
            steps += len(pairs)
            cut_steps += min(CUT, len(pairs))
            cuts += 1
            grants += sum(len(expect.get("allocated", ())) for expect in real["expect"])
            ends += sum(len(expect.get("completed", ())) for expect in real["expect"])
    for name, at, step, shown in wrong[:10]:
        print("%s, step %d %s: %s" % (name, at, step, shown))
    print("%d of %d the same: %d steps, %d of them in cuts of %d; %d containers granted, %d ended"
          % (cuts, len(decided), steps, cut_steps, CUT, grants, ends))
    sys.exit(1 if wrong or cuts != len(decided) else 0)


if __name__ == "__main__":
    main()

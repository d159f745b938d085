#!/usr/bin/env python3
"""generate_multinode.py SEED COUNT [FAMILY...] : scenarios with multi-node placement, without `expect`, one JSON object per line.

Every one is a scenario of another generator with the properties of multi-node placement laid over it, in clusters of more nodes. `multinode-<family>`:
usage (any load, one policy), queues (a policy a queue, none among them), locality, reserve, labels, nodes (they come, go, change size, fall silent), am, async.
"""
import json
import random
import sys

import generate
import generate_async
import generate_labelled
import generate_labels
from generate import P

M = P + "multi-node-"
S = M + "sorting.policy"
USAGE = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"
CLASSES = {"default": USAGE, "packed": "evenweave.FullestFirst", "spread": "evenweave.EmptiestFirst"}


def named(step, back):
    """Nodes get names of one length: ids are compared as text, and more letters at the end of a name must not change their order."""
    def one(n):
        return "n%d" % (int(n[1:]) + 10) if n[:1] == "n" and n[1:].isdigit() else n
    step = dict(step)
    if "node" in step:
        step["node"] = one(step["node"])
    if "nodes" in step:
        step["nodes"] = {":".join([one(n.split(":")[0])] + n.split(":")[1:]): l for n, l in step["nodes"].items()}
    if "asks" in step:
        step["asks"] = [dict(a, location=one(a["location"])) for a in step["asks"]]
    for k in ("blacklist-add", "blacklist-remove"):
        if k in step:
            step[k] = [one(n) for n in step[k]]
    return step


class Over:
    def __init__(self, rng, made, family):
        self.r, self.made, self.family = rng, made, family
        r = rng
        self.names = ["default"] if family in ("usage", "async") and r.random() < 0.5 else r.sample(sorted(CLASSES), r.choice([1, 2, 3]))
        self.interval = {n: r.choice([0, 0, 0, 1000, 500] if family != "usage" else [0, 0, 0, 0, 1000]) for n in self.names}
        self.usual = r.choice(self.names) if family != "queues" or r.random() < 0.6 else None
        self.skips = r.random() < (0.6 if family == "reserve" else 0.25)
        self.key = r.random()

    def of(self, *what):
        return random.Random("%r/%r" % (self.key, what))

    def conf(self, c):
        out = dict(c)
        out[M + "placement-enabled"] = "true"
        out[S + ".names"] = ",".join(self.names)
        for n in self.names:
            if n != "default" or self.of("class").random() < 0.5 or self.usual == "default" or self.family == "queues":
                out["%s.%s.class" % (S, n)] = CLASSES[n]
            out["%s.%s.sorting-interval.ms" % (S, n)] = str(self.interval[n])
        if self.usual:
            out[S] = self.usual
        if self.skips:
            out[P + "skip-allocate-on-nodes-with-reserved-containers"] = "true"
        if self.family in ("queues", "reserve", "nodes"):
            for k in c:
                if k.endswith(".queues"):
                    for q in c[k].split(","):
                        path = k[:-len(".queues")] + "." + q
                        if self.of("queue", path).random() < (0.8 if self.family == "queues" else 0.2):
                            name = self.of("policy", path).choice(self.names + ([""] if self.family == "queues" else []))
                            out[path + ".multi-node-sorting.policy"] = name
                            if name and S + "." + name + ".class" not in out:
                                out["%s.%s.class" % (S, name)] = CLASSES[name]
        return out

    def steps(self, steps):
        r, out = self.r, []
        tick = max(self.interval.values())
        for i, step in enumerate(steps):
            if "capacity" in step:
                step = dict(step, capacity=self.conf(step["capacity"]))
            out.append(step)
            follows = steps[i + 1]["op"] if i + 1 < len(steps) else ""
            if tick and step["op"] in ("node-remove", "labels", "cluster-labels", "restart") and follows != step["op"]:
                # A list that is sorted by the clock keeps a node that is gone, until then.
                out.append({"op": "advance", "ms": tick})
            elif step["op"] == "heartbeat" and follows != "heartbeat" and self.family != "async":
                if r.random() < 0.3:
                    out.append({"op": "advance", "ms": r.choice([100, 500, 1000])})
                if self.family == "nodes" and r.random() < 0.2:
                    out.append({"op": "advance", "ms": r.choice([1500, 2000, 2001])})
        return out

    def done(self):
        made = self.made
        made["capacity"] = self.conf(made["capacity"])
        made["steps"] = [named(s, False) for s in self.steps(made["steps"])]
        return made


class Wide(generate.Scenario):
    """More nodes, so that there is something to choose from."""
    def cluster(self, count, racks, **kw):
        super().cluster(min(12, count + self.r.choice([1, 2, 4])), racks, **kw)


def plain(families):
    def make(rng, name, hard, i):
        s = Wide(rng, name, hard)
        f = families[i % len(families)]
        (f if callable(f) else generate.FAMILIES[f])(s)
        return s.done()
    return make


def nodes(s):
    r, h = s.r, s.hard
    generate.tree(s, 1 + (h > 0.5), 3, narrow=1, maxima=0.3)
    for q in s.leaves():
        q.fields["user-limit-factor"] = r.choice(["2", "10", "-1"])
    s.begin()
    s.cluster(r.randint(2, 3 + int(4 * h)), 1 + int(2 * h))
    generate.load(s, r.randint(2, 4 + int(4 * h)), count=(4, 15), am=0.2)
    for _ in range(8 + int(8 * h)):
        if s.full():
            break
        s.beats(0.7, 1)
        what = r.choice(["add", "drop", "resize", "resize", "decommission", "end", "load", "recommission", "end"])
        some = r.choice(list(s.nodes))
        if what == "add":
            s.add_node()
        elif what == "drop":
            s.drop_node()
        elif what == "resize":
            s.op("node-resize", node=some, total=generate.res(r.choice([4, 6, 8, 12, 16]) * 1024, r.choice([4, 8, 16])), **({"kill": True} if s.chance(0.3) else {}))
        elif what == "decommission":
            s.op("decommission", node=some)
            s.op("heartbeat", node=some)
        elif what == "recommission":
            s.op("recommission", node=some)
        elif what == "end":
            s.end_any(r.randint(1, 4))
        else:
            generate.load(s, 1, count=(2, 8))
        if s.chance(0.15):
            s.update()
    s.update()


def labels(rng, name, hard, i):
    family = ["exclusive", "shared", "locality", "reserve", "headroom", "am", "userlimit"][i % 7]
    s = generate_labels.Scenario(rng, name, hard)
    was = s.labelled
    s.labelled = lambda count, racks, **kw: was(min(10, count + rng.choice([2, 3, 5])), racks, **kw)
    generate_labels.FAMILIES["labels-" + family](s)
    return s.done()


def in_rounds(rng, name, hard, i):
    s = Wide(rng, name, hard)
    generate.FAMILIES[generate_async.FROM[i % len(generate_async.FROM)]](s)
    return generate_async.rounds(s.done(), rng)


KINDS = {
    "usage": plain(["hierarchy", "fifo-leaf", "fair-leaf", "drf", "headroom", "user-limit", "multi"]),
    "queues": plain(["hierarchy", "reserve", "fair-leaf", "priority", "multi", "weights"]),
    "locality": plain(["locality"]),
    "reserve": plain(["reserve"]),
    "labels": labels,
    "nodes": plain([nodes]),
    "am": plain(["am-limit", "user-limit", "headroom"]),
    "async": in_rounds,
}
FAMILIES = {"multinode-" + k: v for k, v in KINDS.items()}


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for family in sys.argv[3:] or FAMILIES:
        for i in range(count):
            rng = random.Random("multinode/%d/%s/%d" % (seed, family, i))
            made = FAMILIES[family](rng, "%s-%d-%03d" % (family, seed, i), i / max(1, count - 1), i)
            print(json.dumps(Over(rng, made, family[len("multinode-"):]).done(), separators=(",", ":")))


if __name__ == "__main__":
    main()

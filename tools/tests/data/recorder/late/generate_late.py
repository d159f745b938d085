#!/usr/bin/env python3
"""generate_late.py OUT.jsonl : scenarios of refreshes that Hadoop refuses when the queues of the new file are in force already.

Each is recorded three times, the third time with other names, ids and hashes. It ends with an error where the three differ.
"""
import json
import sys
import tempfile

import record
from generate import P

BAD = "u:bob:root.nowhere.x"
LARGEST = "yarn.scheduler.maximum-allocation-mb"
AQC = "auto-queue-creation-v2."
ACC = "auto-create-child-queue."
TWO = {"root.queues": "a,b", "root.a.capacity": "50", "root.b.capacity": "50", "queue-mappings": "u:alice:root.a"}
THREE = dict(TWO, **{"root.queues": "a,b,c", "root.a.capacity": "30", "root.b.capacity": "50", "root.c.capacity": "20"})
GROUPS = {"alice": ["dev"], "bob": ["ops"], "carol": ["dev"]}


class Scenario:
    def __init__(self, name, conf):
        self.made = {"name": "late-refresh-" + name.replace("-", "_"), "scheduler": "capacity", "properties": {}, "capacity": full(conf), "groups": GROUPS,
                     "steps": []}
        self.conf, self.apps = conf, 0
        for n, memory in (("n1", 16384), ("n2", 8192)):
            self.op("node-add", node=n, rack="/r1", resource=size(memory, 16))

    def op(self, op, **fields):
        self.made["steps"].append(dict({"op": op}, **fields))
        return self

    def submit(self, user, queue, asks=2, mb=1024):
        self.apps += 1
        self.op("advance", ms=10)
        self.op("submit", app=self.apps, user=user, queue=queue)
        if asks:
            self.op("ask", app=self.apps, asks=[{"priority": 1, "location": "*", "resource": size(mb, 1), "count": asks, "relax": True}])
        return self

    def beat(self, times=1):
        for _ in range(times):
            self.op("heartbeat", node="n1").op("heartbeat", node="n2")
        return self

    def reload(self, conf, more):
        return self.op("reload", capacity=full(dict(conf, **more)))


def full(conf):
    return {k if k == LARGEST else P + k: v for k, v in conf.items() if v is not None}


def size(memory, vcores):
    return {"memory-mb": memory, "vcores": vcores}


def scenarios():
    bad = {"queue-mappings": BAD}

    s = Scenario("new-queue", TWO).submit("bob", "root.b").beat()
    s.reload(THREE, bad).submit("carol", "root.c", 8).submit("alice", "default").beat(2)
    s.reload(TWO, {"root.a.capacity": "40"}).reload(TWO, {"root.c.state": "STOPPED"}).submit("carol", "root.c").op("finish", app=2).beat()
    yield s.reload(TWO, {}).submit("carol", "root.c").beat()

    s = Scenario("new-queue-then-good", TWO).submit("bob", "root.b", 20).beat().reload(THREE, bad).beat()
    s.reload(THREE, {"root.c.maximum-capacity": "40", "queue-mappings": "u:carol:root.c"}).submit("carol", "root.a", 20).submit("alice", "root.b").beat(3)
    # A file that is wrong for another reason is refused all the same, and what was left half-way stays.
    s.reload(THREE, {"root.d.capacity": "5", "root.c.state": "SLEEPING"}).reload(TWO, {"root.a.capacity": "51"})
    yield s.submit("carol", "root.c").beat()

    s = Scenario("stopped", TWO).submit("bob", "root.b").beat()
    s.reload(TWO, dict(bad, **{"root.a.state": "STOPPED", "root.b.state": "STOPPED"})).submit("alice", "root.a").submit("bob", "root.b").beat()
    s.reload(TWO, {}).op("finish", app=1).submit("bob", "root.b")
    yield s.reload(TWO, {"root.a.state": "RUNNING", "root.b.state": "RUNNING"}).submit("alice", "root.a").submit("bob", "root.b").beat()

    states = {"root.a.state": "RUNNING", "root.b.state": "RUNNING"}
    s = Scenario("stopped-and-written", dict(TWO, **states)).submit("bob", "root.b").beat()
    s.reload(TWO, dict(bad, **{"root.a.state": "STOPPED", "root.b.state": "STOPPED", "root.a.capacity": "20", "root.b.capacity": "80"}))
    yield s.submit("alice", "root.a").submit("bob", "root.b").beat()

    s = Scenario("workflow", TWO).submit("bob", "root.b").beat()
    s.reload(TWO, {"root.a.capacity": "20", "root.b.capacity": "80", "workflow-priority-mappings": "w:root.b", "queue-mappings": "u:bob:root.a"})
    yield s.submit("bob", "default").submit("alice", "default").beat()

    s = Scenario("workflow-new-queue", TWO).submit("bob", "root.b").beat()
    s.reload(THREE, {"workflow-priority-mappings": "w:root.b:high", "queue-mappings": "u:bob:root.c", "queue-mappings-override.enable": "true"})
    s.submit("bob", "default", 4).submit("alice", "default", 4).beat(2)
    yield s.reload(THREE, {"queue-mappings": "u:alice:root.c"}).submit("bob", "default").submit("alice", "default").beat()

    s = Scenario("new-queue-stopped", TWO).submit("bob", "root.b").beat()
    s.reload(THREE, dict(bad, **{"root.c.state": "STOPPED"})).submit("carol", "root.c").submit("bob", "root.b").beat()
    yield s.reload(THREE, {}).submit("carol", "root.c").beat()

    # What went half-way twice; and rules that cannot be read at all.
    s = Scenario("twice", TWO).submit("bob", "root.b").beat().reload(THREE, {"queue-mappings": "x:bob:root.a"})
    s.reload(dict(THREE, **{"root.queues": "a,b,c,d", "root.a.capacity": "20", "root.d.capacity": "10"}), bad).submit("carol", "root.d").submit("alice", "default").beat()
    s.reload(TWO, {"root.c.state": "STOPPED"}).reload(TWO, {"root.c.state": "STOPPED", "root.d.state": "STOPPED"}).submit("carol", "root.d")
    yield s.beat()

    s = Scenario("removed", THREE).submit("carol", "root.c").submit("bob", "root.b").beat()
    s.reload(TWO, dict(bad, **{"root.c.state": "STOPPED"})).submit("carol", "root.c", 4).beat()
    yield s.op("finish", app=1).beat().submit("carol", "root.c").beat()

    # A refresh that is refused for its queues, too, says that alone.
    s = Scenario("both", THREE).submit("carol", "root.c").beat().reload(TWO, bad)
    yield s.reload(dict(TWO, **{"root.a.capacity": "60"}), dict(bad, **{"root.c.state": "STOPPED"})).submit("carol", "root.c").beat()

    # What belongs to the whole scheduler stays as it was, but for the largest container; what is read for a queue is the new file's.
    s = Scenario("settings", dict(TWO, **{LARGEST: "4096"})).submit("bob", "root.b", 3).beat()
    s.reload(THREE, dict(bad, **{"per-node-heartbeat.multiple-assignments-enabled": "false", "user.max-parallel-apps": "1", LARGEST: "6144",
                                 "root.a.user-limit-factor": "0.2", "root.b.maximum-am-resource-percent": "1", "maximum-applications": "5000"}))
    s.submit("bob", "root.c", 6).submit("bob", "root.c", 6).submit("alice", "root.a", 6).submit("carol", "root.b", 2, 6000).beat(2).op("node-add", node="n3", rack="/r2", resource=size(8192, 8))
    yield s.op("heartbeat", node="n3").reload(THREE, {}).beat()

    # A leaf queue becomes a parent; its children cannot go again.
    within = {"root.queues": "a,b", "root.a.queues": "x,y", "root.a.capacity": "50", "root.b.capacity": "50", "root.a.x.capacity": "50", "root.a.y.capacity": "50"}
    s = Scenario("leaf-to-parent", TWO).submit("bob", "root.b").beat().reload(TWO, {"root.a.state": "STOPPED"})
    s.reload(within, dict(bad, **{"root.a.state": "RUNNING"})).submit("carol", "root.a.x", 4).submit("alice", "root.b").beat()
    yield s.reload(within, {"root.a.state": "RUNNING"}).submit("carol", "root.a.x", 4).submit("alice", "root.b").beat(2)

    rules = [{"type": "user", "matches": "bob", "policy": "custom", "customPlacement": "root.c"},
             {"type": "user", "matches": "*", "policy": "custom", "customPlacement": "root.nowhere.x"}]
    s = Scenario("json", TWO).submit("bob", "root.b").beat()
    json_rules = {"queue-mappings": None, "mapping-rule-format": "json", "mapping-rule-json": json.dumps({"rules": rules})}
    s.reload(THREE, json_rules).submit("bob", "default").submit("alice", "default").beat()
    json_rules["mapping-rule-json"] = json.dumps({"rules": rules[:1]})
    yield s.reload(THREE, json_rules).submit("bob", "default").submit("alice", "default").beat()

    auto = {"root.queues": "a,auto", "root.a.capacity": "1w", "root.auto.capacity": "1w", "root.auto." + AQC + "enabled": "true",
            "queue-mappings": "u:%user:root.auto.%primary_group.%user"}
    # A parent that has made itself is listed, with a rule that leads below it.
    s = Scenario("made-parent-listed", auto).submit("alice", "default").submit("carol", "default").beat()
    s.reload(auto, {"root.auto.queues": "dev", "root.auto.dev.capacity": "2w", "queue-mappings": "u:%user:root.auto.dev.%user"})
    yield s.submit("bob", "default").submit("alice", "default").beat(2).op("update")

    # The same, where a rule is wrong: it is a configured queue from then on.
    s = Scenario("made-parent-listed-bad", auto).submit("alice", "default").beat()
    s.reload(auto, {"root.auto.queues": "dev", "root.auto.dev.capacity": "2w", "queue-mappings": "u:%user:root.auto.dev.%user,u:bob:root.a.x"})
    s.submit("bob", "default").submit("carol", "default").beat(2)
    s.reload(auto, {"root.auto.queues": "dev", "root.auto.dev.capacity": "1w", "root.auto.dev." + AQC + "enabled": "true"})
    yield s.submit("carol", "default").beat()

    s = Scenario("made-leaf-listed", auto).submit("alice", "default").beat()
    listed = {"root.auto.queues": "dev", "root.auto.dev.capacity": "2w", "root.auto.dev.queues": "alice", "root.auto.dev.alice.capacity": "3w"}
    s.reload(auto, dict(listed, **{"queue-mappings": "u:alice:root.auto.dev.alice,u:bob:root.auto.dev.%user"}))
    s.submit("alice", "default").submit("bob", "default").beat()
    s.reload(auto, dict(listed, **{"queue-mappings": "u:alice:root.auto.dev.alice,u:carol:root.auto.dev.alice.%user"}))
    yield s.submit("carol", "default").beat()

    # A queue makes itself after a refresh that was left half-way.
    s = Scenario("made-after", auto).submit("alice", "default").beat()
    s.reload(auto, {"root.queues": "a,auto,c", "root.c.capacity": "2w", "queue-mappings": BAD, "root.auto." + AQC + "leaf-template.capacity": "3w"})
    s.submit("bob", "default").submit("carol", "root.c").submit("carol", "default").beat(2)
    yield s.reload(auto, {"root.queues": "a,auto,c", "root.c.capacity": "1w"}).submit("carol", "root.c").beat()

    managed = {"root.queues": "a,m", "root.a.capacity": "40", "root.m.capacity": "60", "root.m." + ACC + "enabled": "true",
               "root.m.leaf-queue-template.capacity": "20", "queue-mappings": "u:%user:root.m.%user"}
    s = Scenario("managed-after", managed).submit("alice", "default").beat()
    more = {"root.queues": "a,m,c", "root.a.capacity": "20", "root.c.capacity": "20", "root.m.leaf-queue-template.capacity": "30"}
    s.reload(managed, dict(more, **{"queue-mappings": "u:%user:root.a.%user"})).submit("bob", "default").submit("carol", "root.c").beat(2)
    yield s.reload(managed, more).submit("carol", "default").beat()


def renamed(scenario):
    """A queue's state is renamed also in a file that does not list the queue."""
    made = record.renamed(scenario)
    for old, step in zip([scenario] + scenario["steps"], [made] + made["steps"]):
        conf = step.get("capacity", {})
        if LARGEST in old.get("capacity", {}):
            conf.pop(next(k for k in conf if k.endswith(LARGEST[len(P):])))
            conf[LARGEST] = old["capacity"][LARGEST]
        for key in [k for k in conf if k in (P + "root.c.state", P + "root.d.state")]:
            conf[key.replace(".state", record.TAIL + ".state")] = conf.pop(key)
    return made


def main():
    made = []
    for s in scenarios():
        s.op("update")
        # A family's name ends before the last two parts.
        s.made["name"] += "-%03d" % len(made)
        made.append(s.made)
    with tempfile.TemporaryDirectory() as tmp:
        lines, again, other = record.run(made, tmp), record.run(made, tmp), record.run([renamed(s) for s in made], tmp, "other")
    for s in made:
        name = s["name"]
        if lines[name] != again[name] or record.told(lines[name]) != record.told(other[name]):
            sys.exit("two recordings differ: " + name)
    with open(sys.argv[1], "w") as f:
        f.writelines(lines[s["name"]] for s in made)


if __name__ == "__main__":
    main()

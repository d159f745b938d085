#!/usr/bin/env python3
"""generate_mixed.py SEED COUNT : scenarios that mix what the other generators beside this one make apart, one JSON object per line.

Queues of percentages, weights or absolute resources stand beside such that make themselves, below mapping rules, with ACLs on queues and priorities; nodes
change, attempts fail, applications move, files are read again; containers are preempted (in a third of the scenarios, lazily in more than a sixth); some
schedule asynchronously, and some begin again after a restart.
"""
import json
import random
import sys

import generate as g
import generate_async
import generate_changes as changes
import generate_dynamic as dynamic
import generate_recovery as recovery
import generate_selectors as selectors
from generate import DRC, PRE, Queue, res, spots

ACLS = ["acl_submit_applications", "acl_administer_queue"]
TEMPLATES = [dynamic.AQC + t for t in ("template.", "leaf-template.", "parent-template.")] + ["leaf-queue-template."]


class Scenario(dynamic.Scenario):
    def op(self, op, **fields):
        if op == "attempt" and "maybe" not in fields:
            fields["maybe"] = "app"
        if op == "priority":
            fields["maybe"] = True  # an ACL of priorities may stand against it
        super().op(op, **fields)


# -- queues

def below(s, q, names, weights):
    """A subtree in the place of a leaf."""
    r = s.r
    q.children = [Queue(names[i]) for i in range(r.randint(1, 3))]
    for c in q.children:
        if weights:
            c.fields["capacity"] = dynamic.weight(s)
        elif s.chance(0.3):
            c.fields["maximum-capacity"] = r.choice(["60", "80", "100"])
    if not weights:
        for c, part in zip(q.children, g.split(r, len(q.children))):
            c.fields["capacity"] = part
            if float(c.fields.get("maximum-capacity", "100")) < float(part):
                c.fields.pop("maximum-capacity")
    return q


def queues(s):
    """The tree; says whether mapping rules lead to queues, how a queue is named, and how often one is."""
    r = s.r
    kind = r.choices(["flexible", "managed", "tree", "absolute"], [40, 20, 30, 10])[0]
    s.kind, s.more, s.absolute, s.autos = kind, {}, False, []
    s.legacy = True  # otherwise it counts whether the file is on the class path, as a ResourceManager's is and the recorder's is not
    if kind == "flexible":
        dynamic.flexible_tree(s)
        rules = dynamic.flexible_rules(s)
    elif kind == "managed":
        dynamic.managed_tree(s)
        rules = True
    elif kind == "absolute":
        g.absolute(s, r.choice([24, 40, 64]) * 1024, 40, 2, 3)
        rules = False
    else:
        g.tree(s, 1 + int(s.hard * 2.5), 2 + int(s.hard * 2), maxima=0.4, weights=0.25)
        rules = False
    if kind in ("flexible", "managed") and not s.absolute:
        for q in list(s.leaves()):
            if q not in s.autos and not any(q in a.all() for a in s.autos) and s.chance(0.4):
                below(s, q, ["p", "q", "r"], s.chance(0.4))
    if s.preempts:
        seen = set()
        for q in s.queues():  # Hadoop's policy looks for queues by their last names
            while q.name in seen and not any(q in a.all() for a in s.autos):
                q.name += "x"
            seen.add(q.name)
        s.queues()
    if not rules and s.chance(0.5):
        rules = static_rules(s)
    s.rules = rules


def static_rules(s):
    """Mapping rules to what is there."""
    r = s.r
    to = lambda: r.choice([q.path for q in s.leaves() if q not in s.autos])
    if s.chance(0.5):
        said = ["u:%s:%s" % (u, to()) for u in r.sample(s.users, min(2, len(s.users)))]
        said += ["g:%s:%s" % (r.choice(dynamic.GROUPS), to())] if s.chance(0.5) else []
        said += ["u:%user:" + to()] if s.chance(0.7) else []
        s.glob["queue-mappings"] = ",".join(said)
    else:
        said = [dynamic.rule(s, type=r.choice(["user", "group"]), policy="custom", customPlacement=to()) for _ in range(2)]
        for rule in said:
            rule["matches"] = r.choice(s.users if rule["type"] == "user" else dynamic.GROUPS)
        said.append(dynamic.rule(s, policy=r.choice(["specified", "specified", "custom"])))
        if said[-1]["policy"] == "custom":
            said[-1]["customPlacement"] = to()
        s.glob["mapping-rule-format"] = "json"
        s.glob["mapping-rule-json"] = json.dumps({"rules": said})
    if s.chance(0.4):
        s.glob["queue-mappings-override.enable"] = "true"
    return True


def limits(s):
    """What stands at queues beside their capacities."""
    r = s.r
    g.extras(s, 0.25)
    for q in s.root.all():
        if s.chance(0.12):
            q.fields["max-parallel-apps"] = r.choice(["1", "2", "4"])
        if q.children and s.chance(0.2):
            q.fields["ordering-policy"] = "priority-utilization"
            for c in q.children:
                c.fields["priority"] = r.choice(["0", "1", "2"])
        if q.leaf() and q not in s.autos:
            if s.chance(0.6):
                q.fields["user-limit-factor"] = r.choice(["2", "10", "-1"])
            if s.chance(0.25):
                q.fields["ordering-policy"] = "fair"
                if s.chance(0.4):
                    q.fields["ordering-policy.fair.enable-size-based-weight"] = "true"
            if s.chance(0.2):
                q.fields["default-application-priority"] = r.choice(["1", "3"])
        if s.chance(0.08):
            q.fields["disable_preemption"] = r.choice(["true", "true", "false"])
    for q in s.autos:
        for k in ("maximum-allocation-mb", "maximum-allocation-vcores"):
            q.fields.pop(k, None)


def acl(s):
    """Users and groups, in one of the forms of an ACL."""
    r = s.r
    users = ",".join(r.sample(s.users, r.randint(0, min(2, len(s.users)))))
    groups = ",".join(r.sample(dynamic.GROUPS, r.randint(0, 2)))
    return r.choices([users + " " + groups, "*", " ", users or " "], [6, 1, 1, 2])[0]


def acls(s):
    r = s.r
    s.props["yarn.acl.enable"] = "true"
    s.root.fields["acl_submit_applications"] = r.choice([" ", " ", " dev", "alice"])
    s.root.fields["acl_administer_queue"] = r.choice([" ", " ", "erin", " ops"])
    for q in list(s.root.all())[1:]:
        for name, p in zip(ACLS, (0.6, 0.25)):
            if s.chance(p):
                q.fields[name] = acl(s)
        if q.leaf() and s.chance(0.25):
            q.fields["acl_application_max_priority"] = " ".join(
                "[%s max_priority=%d default_priority=%d]" % (whose, r.choice([2, 5, 8]), r.choice([0, 1, 2]))
                for whose in r.sample(["user=alice", "user=bob", "group=dev", "group=ops", "user=*"], r.randint(1, 2)))
    for q in s.autos:
        for kind in TEMPLATES[:3] if s.kind == "flexible" else TEMPLATES[3:]:
            if s.chance(0.4):
                s.more[q.path + "." + kind + r.choice(ACLS)] = acl(s)


def preemption(s):
    r = s.r
    selectors.settings(s)
    s.glob.pop("lazy-preemption-enabled", None)
    if s.chance(0.7):
        s.glob["lazy-preemption-enabled"] = "true"
    if s.chance(0.3):
        s.props[PRE + "select_based_on_reserved_containers"] = "true"
    if s.chance(0.3):
        s.props[PRE + "intra-queue-preemption.enabled"] = "true"
        s.props[PRE + "intra-queue-preemption.preemption-order-policy"] = r.choice(["userlimit_first", "priority_first"])
        s.props[PRE + "intra-queue-preemption.minimum-threshold"] = r.choice(["0.1", "0.5"])
        s.props[PRE + "intra-queue-preemption.max-allowable-limit"] = r.choice(["0.2", "0.5", "1.0"])
    if s.chance(0.2):
        s.glob[selectors.FOR_HIGHER + "enabled"] = "true"
        s.glob[selectors.FOR_HIGHER + "reserved-container-delay-ms"] = r.choice(["0", "1000", "10000"])


def fill(s):
    """One or two queues fill the nodes, far above what is theirs."""
    r = s.r
    there = [q for q in s.leaves() if q not in s.autos]
    for q in r.sample(there, min(len(there), r.choice([1, 1, 2]))):
        for _ in range(r.randint(1, 2)):
            app = s.submit(q.path, user=r.choice(s.users), am=res(1024, 1) if s.chance(0.4) else None)
            s.beats()
            for k in range(r.randint(1, 2)):
                s.ask(app, s.asks(r.randint(8, 30), size=res(r.choice([1, 1, 2]) * 1024, 1), priority=k + 1), maybe=True)
    s.beats(1.0, 2)
    for _ in range(r.randint(0, 4)):
        s.op("launch", container={"pick": r.random()}, maybe=True)


# -- what happens

def named(s):
    if s.kind == "flexible" and s.chance(0.7):
        return dynamic.in_flexible(s)
    if s.kind == "managed" and s.chance(0.6):
        return dynamic.in_managed(s)
    return s.r.choice(s.paths() + ["nowhere", s.leaves()[-1].name])


def arrive(s, most=8):
    r = s.r
    queue = None if s.rules and s.chance(0.55) else named(s)
    app = s.submit(queue, user=r.choice(s.users), am=s.size(2) if s.chance(0.3) else None,
                   priority=r.choice([0, 1, 3, 5, 9]) if s.chance(0.35) else None)
    if not s.apps[app]:
        n = r.randint(1, most)
        s.ask(app, s.asks(n, priority=r.choice([1, 2]), spots=spots(s, n) if s.nodes and s.chance(0.25) else None), maybe=True)
    return app


def other_file(s):
    r = s.r
    if s.autos and s.chance(0.5):
        dynamic.other_file(s)
        return
    what = r.randrange(5)
    if what == 0 and s.props.get("yarn.acl.enable"):
        acls(s)
    elif what == 1:
        limits(s)
        for q in s.queues():
            q.fields.pop("maximum-allocation-mb", None)
            q.fields.pop("maximum-allocation-vcores", None)
    elif what == 2 and s.kind == "tree":
        for q in s.root.all():
            if q.children and not q.children[0].fields["capacity"].endswith("w") and s.chance(0.5):
                g.percent(s, q)
    elif what == 3:
        q = r.choice(s.leaves())
        q.fields["state"] = r.choice(["STOPPED", "RUNNING"])
    else:
        s.glob["per-node-heartbeat.maximum-offswitch-assignments"] = r.choice(["1", "2", "4", "100"])
        if "lazy-preemption-enabled" in s.glob and s.chance(0.3):
            s.glob["lazy-preemption-enabled"] = r.choice(["true", "false"])
    s.reload()


def anything(s):
    """One of all that may happen, by what the scenario has."""
    r = s.r
    app = lambda: r.choice(list(s.apps))
    what = r.choices(["end", "ask", "finish", "arrive", "node", "change", "move", "file", "launch", "priority", "linger", "attempt", "poll", "large"],
                     [6, 6, 3, 5, 1, 2, 2, 2, 4, 2, 3, 2, 3, 2])[0]
    if what == "end":
        s.end_any(r.randint(1, 3))
    elif what == "ask" and s.apps:
        n = r.randint(0, 8)
        more = {r.choice(["blacklist-add", "blacklist-remove"]): [r.choice(list(s.nodes) + s.racks)]} if s.nodes and s.chance(0.1) else {}
        s.ask(app(), s.asks(n, priority=r.choice([1, 2, 3]), spots=spots(s, n) if n and s.nodes and s.chance(0.3) else None,
                            relax=s.chance(0.9)), maybe=True, **more)
    elif what == "finish":
        s.finish()
    elif what == "arrive":
        arrive(s)
    elif what == "node":
        s.drop_node() if len(s.nodes) > 2 and s.chance(0.5) else s.add_node()
        s.leaving &= set(s.nodes)
    elif what == "change":
        changes.change_node(s)
    elif what == "move" and s.apps:
        s.op("move", app=app(), queue=named(s))
    elif what == "file":
        other_file(s)
    elif what == "launch":
        for _ in range(r.randint(1, 3)):
            s.op("launch", container={"pick": r.random()}, maybe=True)
    elif what == "priority" and s.apps:
        s.op("priority", app=app(), priority=r.choice([0, 2, 4, 9]))
    elif what == "linger":
        s.op("complete", container={"lingering": r.random()}, maybe=True)
    elif what == "attempt":
        changes.another(s)
    elif what == "poll" and s.apps:
        s.ask(app(), [], maybe=True)
    elif what == "large" and s.apps:
        s.ask(app(), s.asks(r.randint(1, 3), size=res(r.choice([4, 5, 6, 8]) * 1024, r.choice([1, 2, 4])), priority=1), maybe=True)


def everything(s):
    r = s.r
    s.users = dynamic.USERS[:r.randint(2, 5)]
    s.groups = {u: r.sample(dynamic.GROUPS, r.randint(1, 2)) for u in dynamic.USERS}
    s.leaving = set()
    preempts = s.preempts = s.chance(0.5)
    queues(s)
    if preempts:
        preemption(s)
    limits(s)
    if preempts:
        for q in s.leaves():
            if q not in s.autos:
                q.fields["user-limit-factor"] = r.choice(["10", "10", "-1", "2"])
                for k in ("maximum-applications", "maximum-allocation-mb", "maximum-allocation-vcores"):
                    q.fields.pop(k, None)
    if s.chance(0.3 if preempts else 0.55):
        acls(s)
    s.glob["maximum-am-resource-percent"] = r.choice(["1.0", "1.0", "0.5", "0.3"])
    for key, values in (("resource-calculator", [DRC]), ("per-node-heartbeat.maximum-container-assignments", ["2", "5"]),
                        ("node-locality-delay", ["0", "2"]), ("rack-locality-additional-delay", ["0", "2"]),
                        ("reservations-continue-look-all-nodes", ["false"]), ("maximum-applications", ["8", "100"]), ("user.max-parallel-apps", ["2", "3"])):
        if s.chance(0.2):
            s.glob[key] = r.choice(values)
    if s.chance(0.25):
        s.props["yarn.scheduler.minimum-allocation-mb"] = r.choice(["512", "1000", "2048"])
    s.props["yarn.cluster.max-application-priority"] = "10"
    s.props["yarn.resourcemanager.rm.container-allocation.expiry-interval-ms"] = "100000000"  # the recorder lets none expire
    if s.kind == "flexible":
        s.glob[dynamic.AQC + "queue-expiration-time"] = r.choice(["1", "10", "300"])
    expiry = int(s.glob.get(dynamic.AQC + "queue-expiration-time", "300")) * 1000
    if preempts:
        s.glob["per-node-heartbeat.maximum-offswitch-assignments"] = "100"
        s.glob["maximum-am-resource-percent"] = "1.0"
    plain = s.conf
    s.conf = lambda: dict(plain(), **{g.P + k: v for k, v in s.more.items()})
    s.begin()
    s.sizes = [8, 8, 10, 12, 16]
    s.cluster(r.randint(1, 2 + int(4 * s.hard)), 1 + int(2 * s.hard))
    if preempts:
        fill(s)
    for _ in range(r.randint(2, 4 + int(3 * s.hard)) - preempts):
        arrive(s)
        if s.chance(0.4):
            s.beats()
    for _ in range(7 + int(7 * s.hard)):
        if s.full():
            break
        if preempts and s.chance(0.6):
            arrive(s, 10)
        if s.nodes:
            s.beats(0.8, r.choice([1, 1, 2]) if len(s.nodes) < 4 else 1)
        for _ in range(r.randint(1, 3)):
            anything(s)
        if preempts and s.chance(0.7):
            s.op("preempt")
            if s.chance(0.6):
                s.op("advance", ms=r.choice([1000, 3000, 15000]))
                s.op("preempt")
        if s.kind == "flexible" and s.chance(0.2):
            s.op("expire")
            s.op("advance", ms=r.choice([1000, expiry + 1000]))
            s.op("expire")
        if s.kind == "managed" and s.chance(0.35):
            s.op("manage")
        if s.chance(0.2):
            s.update()
    s.update()


def scenario(seed, i, count):
    rng = random.Random("capacity/%d/all-mixed/%d" % (seed, i))
    s = Scenario(rng, "all-mixed-%d-%03d" % (seed, i), 0.15 + 0.85 * i / max(1, count - 1))
    everything(s)
    made = s.done()
    lot = rng.random()
    # A node that has another size goes to the end of the recorder's list, which a round walks; to Hadoop's own order that is nothing.
    resized = any(step["op"] in ("node-resize", "decommission", "recommission") for step in made["steps"])
    if lot < 0.25 and not resized:
        made = generate_async.rounds(made, rng)
    elif 0.25 <= lot < 0.33:
        made["properties"]["yarn.resourcemanager.recovery.enabled"] = "true"
        made["steps"] = recovery.Restart(rng, made, {}).steps()
    return made


FAMILIES = {"all-mixed": everything}


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for i in range(count):
        print(json.dumps(scenario(seed, i, count), separators=(",", ":")))


if __name__ == "__main__":
    main()

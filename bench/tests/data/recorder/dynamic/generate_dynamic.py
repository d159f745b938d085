#!/usr/bin/env python3
"""generate_dynamic.py SEED COUNT [FAMILY...] : scenarios of queues that make themselves, as generate.py makes the others.

Steps beyond the format: expire (one round of the policy that removes queues), manage (one of the policy that divides what a managed parent has).
"""
import json
import random
import sys

import generate as g
from generate import DRC, Queue, res

USERS = ["alice", "bob", "carol", "dave", "erin"]
GROUPS = ["dev", "ops", "qa"]
TEAMS = ["t1", "t2"]
# What a queue that makes itself may be called.
NAMES = set(USERS + GROUPS + TEAMS)
AQC = "auto-queue-creation-v2."
ACC = "auto-create-child-queue."


class Scenario(g.Scenario):
    def done(self):
        return dict(super().done(), groups=self.groups)

    def op(self, op, **fields):
        super().op(op, **fields)
        if op == "submit" and self.chance(0.3):
            self.update()


def settings(s, leaf):
    """What a template may say beside a capacity."""
    r, out = s.r, {}

    def maybe(p, key, *of):
        if s.chance(p):
            out[key] = r.choice(of)
    maybe(0.3, "maximum-capacity", "50", "75", "90", "33.3")
    maybe(0.15, "max-parallel-apps", "1", "2")
    maybe(0.15, "priority", "1", "3", "-1")
    maybe(0.1, "state", "STOPPED", "RUNNING")
    if leaf:
        maybe(0.3, "user-limit-factor", "1", "2", "0.5")
        maybe(0.3, "maximum-am-resource-percent", "0.1", "0.3", "0.5")
        maybe(0.2, "minimum-user-limit-percent", "25", "50", "100")
        maybe(0.15, "maximum-applications", "2", "3", "20")
        maybe(0.15, "ordering-policy", "fair", "fifo")
        maybe(0.15, "default-application-priority", "2", "5")
        maybe(0.15, "maximum-allocation-mb", "4096", "6000")
        if s.chance(0.15):
            out["user-settings.%s.weight" % r.choice(USERS)] = r.choice(["0.5", "0.7"])
    else:
        maybe(0.3, AQC + "max-queues", "1", "2")
    return out


def weight(s):
    return s.r.choice(["1w", "2w", "3w", "0.5w", "1.7w", "5w"])


def templates(s, q):
    """Puts templates for what makes itself in q, some of them with `*`."""
    r = s.r
    for kind, leaf, p in (("template.", False, 0.6), ("leaf-template.", True, 0.6), ("parent-template.", False, 0.3)):
        if not s.chance(p):
            continue
        said = {}
        if s.chance(0.7):
            said["capacity"] = weight(s) if s.legacy else r.choice([weight(s), "20", "[memory=2048,vcores=2]", "[memory=30%,vcores=2w]"])
        said.update(settings(s, leaf))
        if kind == "template.":
            said = {k: v for k, v in said.items() if k in ("capacity", "maximum-capacity", "max-parallel-apps", "priority")}
        for k, v in said.items():
            where = q
            if s.chance(0.25):
                parts = q.path.split(".")
                parts[-1] = "*"
                where = ".".join(parts)
            else:
                where = q.path
            s.more[where + "." + AQC + kind + k] = v
    # Below a parent that makes itself.
    if s.chance(0.4):
        s.more[q.path + ".*." + AQC + r.choice(["template.", "leaf-template."]) + "capacity"] = weight(s)
    if s.chance(0.2):
        s.more[q.path + "." + r.choice(TEAMS + USERS) + "." + r.choice(["capacity", AQC + "template.capacity"])] = weight(s)


def flexible_tree(s):
    r = s.r
    auto = Queue("auto")
    auto.fields[AQC + "enabled"] = "true"
    static = [Queue("a"), Queue("b")][:r.randint(1, 2)]
    if s.chance(0.3):  # a parent of percentages above
        mid = Queue("mid", [auto] + static)
        s.root.children = [mid, Queue("x")]
        for q, c in zip(s.root.children, g.split(r, 2)):
            q.fields["capacity"] = c
        within = mid.children
    else:
        s.root.children = static + [auto]
        within = s.root.children
        if s.chance(0.2):
            s.root.fields[AQC + "enabled"] = "true"
    r.shuffle(within)
    if s.legacy and s.chance(0.2) and within is not s.root.children:
        for q, c in zip(within, g.split(r, len(within))):
            q.fields["capacity"] = c
    else:
        for q in within:
            q.fields["capacity"] = weight(s)
    if s.chance(0.4):
        auto.children = [Queue(n, capacity=weight(s)) for n in r.sample(["s1", "alice", "t1"], r.randint(1, 2))]
    if s.chance(0.3):
        auto.fields["maximum-capacity"] = r.choice(["60", "80"])
    s.queues()
    s.autos = [auto]
    if s.root.fields.get(AQC + "enabled"):
        s.autos.append(s.root)
    for q in s.autos:
        if q is not s.root or s.chance(0.5):
            templates(s, q)
        if s.chance(0.25):
            q.fields[AQC + "max-queues"] = r.choice(["1", "2", "3"])
        if s.chance(0.3):
            q.fields[AQC + "maximum-queue-depth"] = r.choice(["1", "2", "3"])
        if s.chance(0.15):
            s.more[q.path + "." + r.choice(USERS) + "." + AQC + "queue-auto-removal.enable"] = "false"
    if s.chance(0.15):
        s.glob[AQC + "maximum-queue-depth"] = r.choice(["1", "3"])


def rule(s, **fields):
    fields.setdefault("type", "user")
    fields.setdefault("matches", "*")
    if s.chance(0.5):
        fields["fallbackResult"] = s.r.choice(["skip", "placeDefault", "reject"])
    if s.chance(0.25):
        fields["create"] = s.chance(0.4)
    return fields


def flexible_rules(s):
    r, at = s.r, s.autos[0].path
    kind = r.choice(["none", "legacy", "legacy", "json", "json", "json"])
    if kind == "legacy":
        said = []
        if s.chance(0.4):
            said.append("u:%s:%s" % (r.choice(USERS), at + "." + r.choice(TEAMS)))
        if s.chance(0.4):
            said.append("g:%s:%s" % (r.choice(GROUPS), at + "." + r.choice(["%user", "dev", "%primary_group.%user"])))
        said.append("u:%user:" + at + "." + r.choice(["%user", "%primary_group.%user", "%primary_group"]))
        s.glob["queue-mappings"] = ",".join(said)
    elif kind == "json":
        said = []
        if s.chance(0.4):
            said.append(rule(s, type="user", matches=r.choice(USERS), policy="custom", customPlacement=at + "." + r.choice(["t1.%user", "t2", "%user"])))
        if s.chance(0.4):
            said.append(rule(s, type="group", matches=r.choice(GROUPS), policy=r.choice(["user", "primaryGroupUser"]), parentQueue=at))
        if s.chance(0.3):
            said.append(rule(s, policy="specified"))
        said.append(rule(s, policy=r.choice(["user", "primaryGroup", "primaryGroupUser", "primaryGroupUser"]), parentQueue=at))
        s.glob["mapping-rule-format"] = "json"
        s.glob["mapping-rule-json"] = json.dumps({"rules": said})
    if kind != "none" and s.chance(0.3):
        s.glob["queue-mappings-override.enable"] = "true"
    return kind != "none"


def in_flexible(s):
    """Some path, of a queue that is there, may be made, or cannot be."""
    r = s.r
    auto = r.choice(s.autos)
    if s.chance(0.2):
        return r.choice(s.paths() + ["nowhere", "root.nowhere.x", "auto", r.choice(USERS)])
    parts = [r.choice(TEAMS + USERS[:3])]
    if s.chance(0.4):
        parts.insert(0, r.choice(TEAMS))
    if s.chance(0.05):
        parts.insert(0, r.choice(GROUPS))
    return ".".join([auto.path if s.chance(0.8) else auto.name] + parts)


def managed_tree(s):
    r = s.r
    s.absolute = s.legacy and s.chance(0.25)
    m = [Queue("m")] + ([Queue("n")] if s.chance(0.3) else [])
    s.root.children = m + [Queue("a")]
    r.shuffle(s.root.children)
    if s.absolute:
        for q in s.root.children:
            q.fields["capacity"] = "[memory=%d,vcores=%d]" % (r.choice([4, 6, 8, 10]) * 1024, r.choice([4, 6, 8]))
            if s.chance(0.4):
                q.fields["maximum-capacity"] = "[memory=%d,vcores=%d]" % (r.choice([12, 16, 20]) * 1024, r.choice([12, 16]))
    elif s.chance(0.3):
        for q in s.root.children:
            q.fields["capacity"] = weight(s)
    else:
        for q, c in zip(s.root.children, g.split(r, len(s.root.children))):
            q.fields["capacity"] = c
    s.queues()
    for q in m:
        q.fields[ACC + "enabled"] = "true"
        t = "leaf-queue-template."
        if s.absolute:
            q.fields[t + "capacity"] = "[memory=%d,vcores=%d]" % (r.choice([1, 2, 3, 4]) * 1024, r.choice([1, 2, 3]))
            if s.chance(0.4):
                q.fields[t + "maximum-capacity"] = "[memory=%d,vcores=%d]" % (r.choice([4, 6, 8]) * 1024, r.choice([4, 8]))
        else:
            q.fields[t + "capacity"] = r.choice(["10", "20", "25", "33.3", "40", "50", "60", "100"])
            if s.chance(0.5):
                q.fields[t + "maximum-capacity"] = r.choice(["50", "75", "100"])
        for k, v in settings(s, True).items():
            if k not in ("maximum-capacity",):
                q.fields[t + k] = v
        if s.chance(0.25):
            q.fields[ACC + "fail-on-exceeding-parent-capacity"] = "true"
        if s.chance(0.2):
            q.fields[ACC + "max-queues"] = r.choice(["1", "2", "3"])
    s.autos = m
    at = m[0].path
    if s.chance(0.6):
        said = []
        if len(m) > 1 and s.chance(0.7):
            said.append("u:%s:%s" % (r.choice(USERS), m[1].path + ".%user"))
        if s.chance(0.3):
            said.append("g:%s:%s" % (r.choice(GROUPS), at + "." + r.choice(["dev", "%user", "%primary_group"])))
        said.append("u:%user:" + (at if s.chance(0.7) else m[0].name) + "." + r.choice(["%user", "%user", "%primary_group"]))
        s.glob["queue-mappings"] = ",".join(said)
    else:
        said = []
        if len(m) > 1 and s.chance(0.7):
            said.append(rule(s, matches=r.choice(USERS), policy="user", parentQueue=m[1].path))
        said.append(rule(s, policy=r.choice(["user", "user", "primaryGroup"]), parentQueue=at))
        s.glob["mapping-rule-format"] = "json"
        s.glob["mapping-rule-json"] = json.dumps({"rules": said})
    if s.chance(0.3):
        s.glob["queue-mappings-override.enable"] = "true"


def in_managed(s):
    r = s.r
    if s.chance(0.3):
        return r.choice(["root.a", "a"])
    return r.choice(s.autos).path + "." + r.choice(USERS + TEAMS)


def arrive(s, named, p_named):
    r = s.r
    queue = named(s) if s.chance(p_named) else None
    a = s.submit(queue, user=r.choice(s.users), am=s.size(2) if s.chance(0.25) else None,
                 priority=r.choice([0, 1, 5]) if s.chance(0.2) else None)
    if not s.apps[a]:
        s.ask(a, s.asks(r.randint(1, 6), priority=r.choice([1, 2])))


def other_file(s):
    """Another file: other settings of what there is and of templates, queues that come, go, or become configured ones."""
    r = s.r
    what = r.random()
    if what < 0.35 and s.more:
        k = r.choice(list(s.more))
        if k.endswith("capacity") and not k.endswith("maximum-capacity"):
            s.more[k] = weight(s)
        elif s.chance(0.5):
            del s.more[k]
    elif what < 0.5 and AQC + "enabled" in s.autos[0].fields:
        names = [c.name for c in s.autos[0].children]
        if names and s.chance(0.4):
            s.autos[0].children.pop()
        else:
            n = r.choice([x for x in TEAMS + USERS if x not in names])
            s.autos[0].children.append(Queue(n, capacity=weight(s)))
            if s.chance(0.3):
                s.autos[0].children[-1].children = [Queue(r.choice(USERS), capacity=weight(s))]
    elif what < 0.75:
        q = r.choice(s.autos)
        for k in list(q.fields):
            if "template" in k and k.endswith(".capacity") and not s.absolute:
                q.fields[k] = r.choice(["10", "20", "30", "50"])
        if s.chance(0.3):
            q.fields[(ACC if ACC + "enabled" in q.fields else AQC) + "max-queues"] = r.choice(["1", "2", "5"])
    elif what < 0.85:
        q = r.choice(s.queues())
        if q.fields.get("capacity", "").endswith("w"):
            q.fields["capacity"] = weight(s)
    else:
        q = r.choice(s.queues())
        q.fields["state"] = r.choice(["STOPPED", "RUNNING"])
    s.reload()


def dynamic(s):
    r = s.r
    s.users = USERS[:r.randint(2, 5)]
    s.groups = {u: r.sample(GROUPS, r.randint(1, 2)) for u in USERS}
    s.more, s.absolute = {}, False
    s.legacy = s.chance(0.85)
    flexible = s.chance(0.6)
    if not s.legacy:
        s.glob["legacy-queue-mode.enabled"] = "false"
    if flexible:
        flexible_tree(s)
        named, p_named = in_flexible, 0.4 if flexible_rules(s) else 1.0
    else:
        managed_tree(s)
        named, p_named = in_managed, 0.25
    if s.chance(0.3):
        s.glob["resource-calculator"] = DRC
    s.glob["maximum-am-resource-percent"] = r.choice(["1.0", "0.3"])
    if s.chance(0.2):
        s.glob["maximum-applications"] = r.choice(["6", "100"])
    if s.chance(0.5):
        s.glob[AQC + "queue-expiration-time"] = r.choice(["1", "10", "300"])
    expiry = int(s.glob.get(AQC + "queue-expiration-time", "300")) * 1000
    s.props["yarn.cluster.max-application-priority"] = "10"
    plain = s.conf
    s.conf = lambda: dict(plain(), **{g.P + k: v for k, v in s.more.items()})
    s.begin()
    if s.chance(0.2):
        s.racks = ["/r1"]
        arrive(s, named, p_named)  # before any node
    s.cluster(r.randint(1, 2 + int(2 * s.hard)), 1)
    for _ in range(r.randint(2, 4)):
        arrive(s, named, p_named)
    s.update()
    for _ in range(6 + int(8 * s.hard)):
        if s.full():
            break
        s.beats(0.8, r.choice([1, 1, 2]))
        for _ in range(r.randint(0, 2)):
            arrive(s, named, p_named)
        if s.chance(0.4):
            s.end_any(r.randint(1, 3))
        if s.chance(0.5):
            s.finish()
        if s.chance(0.3):
            for a in list(s.apps)[:r.randint(1, 3)]:
                s.finish(a)
        if s.chance(0.35) and flexible:
            s.op("expire")
            if s.chance(0.7):
                s.op("advance", ms=r.choice([1000, expiry, expiry + 1000, expiry + 1000]))
                s.op("expire")
        if s.chance(0.45) and not flexible or s.chance(0.05):
            s.op("manage")
            if s.chance(0.5):
                s.beats(0.5)
        if s.chance(0.2):
            other_file(s)
        if s.chance(0.12) and s.apps:
            s.op("move", app=r.choice(list(s.apps)), queue=named(s))
        if s.chance(0.12):
            s.drop_node() if len(s.nodes) > 2 else s.add_node()
        if s.chance(0.1) and s.apps:
            s.op("priority", app=r.choice(list(s.apps)), priority=r.choice([0, 2, 9]))
        if s.chance(0.3):
            s.update()
    if flexible and s.chance(0.6):
        for a in list(s.apps):
            s.finish(a)
        s.op("expire")
        s.op("advance", ms=expiry + 1000)
        s.op("expire")
        s.op("expire")
        s.op("expire")
    s.update()


FAMILIES = {"dynamic-queues": dynamic}


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for family in sys.argv[3:] or FAMILIES:
        for i in range(count):
            s = Scenario(random.Random("capacity/%d/%s/%d" % (seed, family, i)), "%s-%d-%03d" % (family, seed, i),
                         i / max(1, count - 1))
            FAMILIES[family](s)
            print(json.dumps(s.done(), separators=(",", ":")))


if __name__ == "__main__":
    main()

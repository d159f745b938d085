#!/usr/bin/env python3
"""generate_plans.py SEED COUNT [FAMILY...] : random scenarios of a CapacityScheduler with plans, without `expect`, on stdout.

Shares its steps with generate_fair.py; what it adds is capacity-scheduler.xml.
"""
import json
import random
import sys

import generate_fair as g
from generate_fair import HOUR, S, R, USERS, res, soon

P = "yarn.scheduler.capacity."


class Scenario(g.Scenario):
    def done(self):
        out = super().done()
        del out["allocations"]
        out["scheduler"] = "capacity"
        out["capacity"] = self.first
        return out

    def system(self, steps=True, left=0.35, smooth=0.4, agent=0.0, policy=0.12):
        super().system(steps, left, smooth)
        self.extra = ""
        self.agent, self.policy = agent, policy

    def plan(self, own, q):
        """What a plan queue says of itself."""
        r = self.r
        own[P + q + ".reservable"] = "true"
        if self.chance(self.agent):
            own[P + q + ".reservation-agent"] = S + "planning.GreedyReservationAgent"
        if self.chance(self.policy):
            own[P + q + ".reservation-policy"] = S + "NoOverCommitPolicy"
        if self.name.startswith("capacity-policy"):
            if self.chance(0.4):
                own[P + q + ".reservation-window"] = str(r.choice([HOUR, 6 * HOUR, 12 * HOUR]))
            if self.chance(0.4):
                own[P + q + ".average-capacity"] = r.choice(["50", "70", "100", "0.5"])
            if self.chance(0.4):
                own[P + q + ".instantaneous-max-capacity"] = r.choice(["50", "80", "100", "0.8"])
        if self.name.startswith("capacity-replan") and self.chance(0.5):
            own[P + q + ".reservation-enforcement-window"] = str(r.choice([60_000, 600_000, 2 * HOUR]))
        if self.name.startswith(("capacity-follow", "capacity-apps")):
            if self.chance(0.3):
                own[P + q + ".reservation-move-on-expiry"] = "false"
            if self.chance(0.4):
                own[P + q + ".maximum-applications"] = str(r.choice([1, 2, 3, 10]))
            if self.chance(0.4):
                own[P + q + ".user-limit-factor"] = r.choice(["0.5", "2", "1", "-1"])
            if self.chance(0.3):
                own[P + q + ".minimum-user-limit-percent"] = r.choice(["25", "50"])
            if self.chance(0.3):
                own[P + q + ".maximum-capacity"] = r.choice(["80", "100", "85"])
            if self.chance(0.2):
                own[P + q + ".show-reservations-as-queues"] = "true"

    def shares(self, n):
        return {1: [["100"]], 2: [["50", "50"], ["75", "25"], ["60", "40"], ["33.3", "66.7"], ["80", "20"]],
                3: [["50", "25", "25"], ["40", "40", "20"], ["33.3", "33.3", "33.4"]]}[n]

    def queues(self, plans=("p",), others=("b",), root=None, acl=None, more=""):
        r = self.r
        self.plans = ["root." + p for p in plans]
        self.rest = list(others)
        names = [p.split(".")[0] for p in plans] + list(others)
        own = {P + "root.queues": ",".join(names)}
        for name, share in zip(names, r.choice(self.shares(len(names)))):
            own[P + "root." + name + ".capacity"] = share
        for p in plans:
            if "." in p:
                top, leaf = p.split(".")
                own[P + "root." + top + ".queues"] = leaf + ("" if self.chance(0.5) else ",other")
                both = own[P + "root." + top + ".queues"].split(",")
                for name, share in zip(both, r.choice(self.shares(len(both)))):
                    own[P + "root.%s.%s.capacity" % (top, name)] = share
            self.plan(own, "root." + p)
        if self.chance(0.5):
            own[P + "resource-calculator"] = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
        if self.chance(0.5):
            own[P + "maximum-am-resource-percent"] = r.choice(["0.5", "1", "0.3"])
        if acl:
            own.update(acl)
        own[P + "node-locality-delay"] = "0"
        self.capacity = self.first = own

    def cluster(self, n=None, **kw):
        for _ in range(n or self.r.choice([1, 2, 2, 3, 4])):
            self.node(**kw)
        total = sum(self.nodes.values())
        share = 1.0
        for part in range(2, self.plans[0].count(".") + 2):
            share *= float(self.capacity[P + ".".join(self.plans[0].split(".")[:part]) + ".capacity"]) / 100
        self.mem = max(1024, int(total * share))
        # A plan has nothing before its first run.
        if self.chance(0.95):
            self.follow()

    def op(self, op, **fields):
        if op in ("ask", "finish", "move") and self.chance(0.93):
            fields["maybe"] = "app"
        super().op(op, **fields)

    def reload(self, capacity=None, **kw):
        self.op("reload", capacity=capacity or self.capacity, **kw)

    def other(self, plans=False):
        """The file, changed here and there; with another plan, perhaps."""
        r, c = self.r, dict(self.first)
        kind = r.choice(["same", "swap", "users", "plan"])
        if kind == "swap" and self.rest:
            a, b = self.plans[0].split(".")[1], self.rest[0]
            a, b = P + "root.%s.capacity" % a, P + "root.%s.capacity" % b
            c[a], c[b] = c[b], c[a]
        elif kind == "users":
            c[P + self.plans[0] + ".user-limit-factor"] = r.choice(["1", "2", "3"])
            c[P + self.plans[0] + ".maximum-applications"] = str(r.choice([2, 5, 20]))
        elif kind == "plan" and self.rest and P + "root.p9.capacity" not in c:
            c[P + "root.queues"] += ",p9"
            b = P + "root.%s.capacity" % self.rest[0]
            c[P + "root.p9.capacity"] = c[b]
            c[b] = "0"
            self.plan(c, "root.p9")
            if "root.p9" not in self.plans:
                self.plans.append("root.p9")
        self.capacity = c
        return c


def follow(s):
    r = s.r
    s.system()
    s.queues(plans=("p",) if s.chance(0.6) else ("p", "q.p2"))
    s.cluster()
    if s.chance(0.8):
        s.follow()
    for _ in range(r.randint(10, 15)):
        x = r.random()
        if x < 0.4:
            n = s.submit(soon(s, stages=r.choice([1, 1, 2])))
            if s.chance(0.5):
                s.advance(2 * s.step)
                s.follow()
                for _ in range(r.choice([1, 1, 2, 3])):
                    s.app(s.made[n][1], n)
        elif x < 0.8 and s.made:
            n = s.some()
            a = s.app(s.made[n][1], n if s.chance(0.7) else None)
            if s.chance(0.6):
                s.op("update")
                s.beat()
                s.ask(a, r.choice([1, 2, 4, 8]))
                s.beat()
        elif x < 0.88 and s.made:
            s.delete(s.some())
        else:
            s.op("update")
        if s.chance(0.8):
            s.advance(r.choice([1, 1, 2, 4, 8]) * s.step + (r.randrange(s.step) if s.chance(0.3) else 0))
            s.follow()
        if s.chance(0.25) and len(s.nodes) < 8:
            s.node()
    for _ in range(4):
        s.advance(r.choice([5, 10, 20]) * s.step)
        s.follow()


def reload(s):
    """Up to what refreshes do to plans as they are. No run of the follower comes after one, nor a reservation, which may begin one: Hadoop no longer
    finds leaves of plans by name then, and gives them nothing new."""
    r = s.r
    s.system()
    s.queues(plans=("p",) if s.chance(0.6) else ("p", "q.p2"))
    s.cluster()
    s.follow()
    running = []
    for _ in range(r.randint(3, 6)):
        n = s.submit(soon(s))
        s.advance(2 * s.step)
        s.follow()
        if s.chance(0.7):
            running.append(s.app(s.made[n][1], n if s.chance(0.8) else None))
            s.beat()
            s.ask(running[-1], r.choice([1, 2, 4]))
            s.beat()
    for _ in range(r.randint(2, 4)):
        s.reload(s.other(), plans=True)
        if running and s.chance(0.6):
            s.ask(r.choice(running), r.choice([1, 2, 4]))
        s.beat()
        if running and s.chance(0.3):
            s.op("finish", app=running.pop(r.randrange(len(running))))
        if s.chance(0.3):
            s.app("root.b")
        if s.chance(0.4) and len(s.nodes) < 8:
            s.node()
            s.beat()


def apps(s):
    r = s.r
    s.system(smooth=0.1, policy=0.1)
    s.queues(plans=("p",) if s.chance(0.75) else ("q.p", "p2"))
    s.cluster(r.choice([2, 3]), mem=None)
    s.follow()
    for _ in range(r.randint(2, 5)):
        s.submit(soon(s, slack=r.choice([2, 4, 6]), offset=r.choice([0, s.step])))
    s.advance(s.step)
    s.follow()
    if s.chance(0.8):
        s.node()
    running = []
    for _ in range(r.randint(8, 12)):
        x = r.random()
        p = r.choice(s.plans)
        if x < 0.45:
            n = s.some()
            running.append(s.app(s.made[n][1] if s.chance(0.92) else p, n))
        elif x < 0.53:
            running.append(s.app(p))
        elif x < 0.6:
            running.append(s.app("root.b"))
        elif x < 0.65:
            running.append(s.app(r.choice(["%s.%s-default" % (p, p.split(".")[-1]), p + "-default"])))
        elif x < 0.7:
            running.append(s.app(p, s.next_id + 3))
        elif x < 0.8 and running:
            s.op("move", app=r.choice(running), queue=r.choice([p, "root.b", "root.b"]))
        elif x < 0.86 and running:
            s.op("finish", app=r.choice(running))
        else:
            s.submit(soon(s, offset=0))
            if s.chance(0.7) and len(s.nodes) < 8:
                s.advance(s.step)
                s.follow()
                s.node()
        s.op("update")
        s.beat(1)
        for a in running[-2:]:
            if s.chance(0.6):
                s.ask(a, r.choice([2, 4, 8]), r.choice([1024, 1024, 2048]))
        s.beat(r.choice([1, 2, 3]))
        if s.chance(0.6):
            s.advance(r.choice([1, 2, 4, 10]) * s.step)
            s.follow()
    for _ in range(3):
        s.advance(r.choice([10, 20, 40]) * s.step)
        s.follow()
        s.op("update")
        s.beat()


def acl(s):
    r = s.r
    s.system(left=0.1, smooth=0.1)
    s.props["yarn.acl.enable"] = "true" if s.chance(0.9) else "false"
    s.props["yarn.acl.reservation-enable"] = "true" if s.chance(0.9) else "false"
    s.groups = {"alice": ["staff"], "bob": ["staff", "ops"], "carol": ["guests"], "dave": ["ops"]}
    acls = {}
    for p in ("p", "q.p2"):
        for n in ("submit_reservations", "administer_reservations", "list_reservations"):
            if s.chance(0.6):
                acls[P + "root.%s.acl_%s" % (p, n)] = r.choice(
                    ["alice", "bob", "alice,carol", " staff", " ops", "dave ops", " ", "*", "carol guests"])
    s.queues(plans=("p", "q.p2"), acl=acls)
    s.cluster(2)
    who = ["alice", "bob", "carol", "dave", "erin"]
    s.follow()
    for _ in range(r.randint(16, 24)):
        x = r.random()
        u = r.choice(who)
        n = s.some()
        plan = s.made[n][1] if s.made else s.plans[0]
        if x < 0.42 or not s.made:
            p = r.choice(s.plans)
            s.submit(soon(s, peak=0.1, slack=3), user=u, plan=p if s.chance(0.85) else p[5:])
        elif x < 0.56:
            s.update(n, soon(s, peak=0.1, slack=3), user=u)
        elif x < 0.68:
            s.delete(n, user=u)
        elif x < 0.84:
            f = {"reservation": n} if s.chance(0.5) else {}
            s.op("reserve-list", user=u, queue=plan if s.chance(0.85) else plan[5:], **f)
        else:
            s.app(r.choice([plan, plan, "root.b"]), n if s.chance(0.6) else None, user=u)
        if s.chance(0.15):
            s.advance(s.step)
            s.follow()


FAMILIES = {"follow": follow, "apps": apps, "replan": g.replan, "policy": g.policy, "periodic": g.periodic, "acl": acl,
            "reload": reload, "order": g.interpreter("order"), "greedy": g.greedy, "update-delete": g.update_delete}


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    for family in sys.argv[3:] or FAMILIES:
        for i in range(count):
            name = "capacity-%s-%s-%03d" % (family.removeprefix("capacity-"), seed, i)
            s = Scenario(random.Random(name), name, i > count // 2)
            FAMILIES[family.removeprefix("capacity-")](s)
            print(json.dumps(s.done()))


if __name__ == "__main__":
    main()

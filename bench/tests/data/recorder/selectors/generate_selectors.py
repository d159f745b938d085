#!/usr/bin/env python3
"""generate_selectors.py SEED COUNT [FAMILY...] : scenarios of what preemption chooses for what is reserved, as generate.py makes the others."""
import json
import random
import sys

from generate import DRC, PRE, Scenario, res, tree

FOR_HIGHER = "ordering-policy.priority-utilization.underutilized-preemption."


def settings(s):
    r = s.r
    p = s.props
    p["yarn.resourcemanager.scheduler.monitor.enable"] = "true"
    p[PRE + "total_preemption_per_round"] = r.choice(["0.1", "0.2", "0.5", "1.0", "1.0"])
    p[PRE + "natural_termination_factor"] = r.choice(["0", "0", "0.1", "0.2", "1.0"])
    p[PRE + "max_wait_before_kill"] = r.choice(["0", "1000", "5000", "15000"])
    if s.chance(0.6):
        p[PRE + "max_ignored_over_capacity"] = r.choice(["0", "0.05", "0.2"])
    if s.chance(0.2):
        s.glob["resource-calculator"] = DRC
    if s.chance(0.15):
        p[PRE + "intra-queue-preemption.enabled"] = "true"
    if s.chance(0.15):
        p[PRE + "additional_res_balance_based_on_reserved_containers"] = "true"
    if s.chance(0.1):
        p[PRE + "preemption-to-balance-queue-after-satisfied.enabled"] = "true"
    if s.chance(0.2):
        s.glob["lazy-preemption-enabled"] = "true"
    if s.chance(0.3):
        s.glob["reservations-continue-look-all-nodes"] = "false"
    s.glob["per-node-heartbeat.maximum-offswitch-assignments"] = "100"


def queues(s):
    tree(s, 1 + int(s.hard * 2.5), 2 + int(s.hard * 2), maxima=0.15)
    if s.chance(0.85):  # otherwise some have the same last name: Hadoop does not find their containers' queues
        for i, q in enumerate(s.queues()):
            q.name += "qrstuvwxyz"[i % 10] * (1 + i // 10)
    for q in s.leaves():
        q.fields["user-limit-factor"] = s.r.choice(["10", "10", "-1", "2"])
        if s.chance(0.2):
            q.fields["ordering-policy"] = "fair"
    for q in s.queues():
        if s.chance(0.1):
            q.fields["disable_preemption"] = "true"


def play(s):
    """Some fill the nodes with what is small, others come with what is large."""
    r = s.r
    s.cluster(r.randint(1, 3 + int(3 * s.hard)), 1, mem=r.choice([10, 16, 20]) * 1024, cores=r.choice([12, 32]))
    qs = s.paths()
    first = r.sample(qs, max(1, len(qs) // 2))
    for _ in range(r.randint(2, 3 + int(2 * s.hard))):
        a = s.submit(r.choice(first), am=res(1024, 1) if s.chance(0.5) else None)
        s.beats()
        for k in range(r.randint(1, 2)):
            s.ask(a, s.asks(r.randint(10, 40), size=res(r.choice([1, 1, 2, 3]) * 1024, r.choice([1, 1, 2])), priority=k + 1))
    s.beats(1.0, 2)
    for _ in range(3 + int(4 * s.hard)):
        if s.full():
            break
        if s.chance(0.8):
            a = s.submit(r.choice(qs if s.chance(0.3) else [q for q in qs if q not in first] or qs),
                         am=res(1024, 1) if s.chance(0.2) else None)
            s.ask(a, s.asks(r.randint(1, 4), size=res(r.choice([3, 4, 5, 6, 8]) * 1024, r.choice([1, 2, 4]))))
        for _ in range(r.randint(0, 2)):
            s.op("launch", container={"pick": r.random()}, maybe=True)
        s.beats(1.0)
        if s.chance(0.3):
            s.end_any(r.randint(1, 2))
        s.op("preempt")
        if s.chance(0.5):
            s.op("advance", ms=r.choice([1000, 3000, 15000]))
            s.op("preempt")
        if s.chance(0.4):
            for b in list(s.apps)[:3]:
                s.ask(b, [])
        s.op("advance", ms=r.choice([1000, 3000, 15000]))
        s.op("preempt")
        s.beats(0.8)
        if s.chance(0.2):
            s.finish()
        if s.chance(0.15) and s.apps:
            s.op("move", app=r.choice(list(s.apps)), queue=r.choice(qs))
        if s.chance(0.2):
            s.op("complete", container={"lingering": r.random()}, maybe=True)
        if s.chance(0.2):
            s.update()
    s.update()


def by_reserved(s):
    settings(s)
    s.props[PRE + "select_based_on_reserved_containers"] = "true"
    queues(s)
    s.begin()
    play(s)


def by_priority(s):
    settings(s)
    s.glob[FOR_HIGHER + "enabled"] = "true"
    s.glob[FOR_HIGHER + "reserved-container-delay-ms"] = s.r.choice(["0", "0", "1000", "2000", "10000"])
    if s.chance(0.3):
        s.props[PRE + "select_based_on_reserved_containers"] = "true"
    queues(s)
    for q in s.root.all():
        if q.children and s.chance(0.85):
            q.fields["ordering-policy"] = "priority-utilization"
        if s.chance(0.7):
            q.fields["priority"] = s.r.choice(["1", "2", "3", "5"])
    s.root.fields.pop("priority", None)
    s.begin()
    play(s)


FAMILIES = {"preempt-reserved": by_reserved, "preempt-priority": by_priority}


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

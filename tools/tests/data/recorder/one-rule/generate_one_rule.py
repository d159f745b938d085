#!/usr/bin/env python3
"""generate_one_rule.py : scenarios of a few steps, each for one rule that decides nothing in most others."""
import json

P = "yarn.scheduler.capacity."
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
HEARTBEAT = {"op": "heartbeat", "node": "n1"}
UPDATE = {"op": "update"}


def size(gigabytes):
    return {"memory-mb": 1024 * gigabytes, "vcores": gigabytes}


def node(name, gigabytes):
    return {"op": "node-add", "node": name, "rack": "/r1", "resource": size(gigabytes)}


def ask(app, count):
    row = {"priority": 1, "location": "*", "resource": size(1), "count": count, "relax": True}
    return {"op": "ask", "app": app, "asks": [row]}


def submit(app, queue, user="ann", **more):
    return {"op": "submit", "app": app, "user": user, **({"queue": queue} if queue else {}), **more}


def asking(app, queue, count, user="ann"):
    return [submit(app, queue, user), ask(app, count)]


def priority(app, to):
    return {"op": "priority", "app": app, "priority": to}


def in_full(capacity):
    capacity = {"maximum-am-resource-percent": "1", "per-node-heartbeat.multiple-assignments-enabled": "false",
                **capacity}
    return {P + key: value for key, value in capacity.items()}


def scenario(number, capacity, steps, properties=None):
    return {"name": "one-rule-1-%03d" % number, "scheduler": "capacity", "properties": properties or {},
            "capacity": in_full(capacity), "groups": {}, "steps": steps}


def lazy(number, queues, steps):
    """Containers go for others, after two rounds with the wait between."""
    capacity = {"lazy-preemption-enabled": "true", "root.queues": ",".join(queues)}
    for queue, part in queues.items():
        capacity["root.%s.capacity" % queue] = str(part)
        capacity["root.%s.user-limit-factor" % queue] = "10"
    properties = {"yarn.resourcemanager.scheduler.monitor.enable": "true",
                  PREEMPTION + "natural_termination_factor": "1", PREEMPTION + "total_preemption_per_round": "1",
                  PREEMPTION + "max_wait_before_kill": "10000"}
    return scenario(number, capacity, steps, properties)


ROUNDS = [{"op": "preempt"}, {"op": "advance", "ms": 10001}, {"op": "preempt"}]


def scenarios():
    # `AbstractLeafQueue.setPreemptionAllowed`: root.b is below its guarantee, root.c is at it.
    yield lazy(0, {"a": 40, "b": 40, "c": 20}, [
        node("n1", 10), *asking(1, "root.a", 8), *8 * [HEARTBEAT], *asking(3, "root.c", 2), *2 * [HEARTBEAT],
        *asking(2, "root.b", 1), *ROUNDS, ask(2, 0), ask(3, 1), HEARTBEAT, UPDATE, ask(3, 0), ask(2, 1), HEARTBEAT,
        UPDATE])
    # `AbstractLeafQueue.internalReleaseContainer`: the containers that would have to go are root.a's own.
    yield lazy(1, {"a": 50, "b": 50}, [
        node("n1", 8), *asking(1, "root.a", 8), *8 * [HEARTBEAT], *asking(2, "root.b", 4), *ROUNDS, ask(2, 0),
        *[{"op": "release", "app": 1, "container": number} for number in range(1, 6)], ask(2, 5), *5 * [HEARTBEAT],
        ask(2, 0), node("n2", 4), ask(1, 1), HEARTBEAT, UPDATE])
    # `ManagedParentQueue.updateQueueCapacities`: a template of amounts that names no maximum has the parent's;
    # root.m.eve gets its part by a round.
    yield scenario(2, {
        "root.queues": "a,m", "root.a.capacity": "[memory=8192,vcores=8]", "root.m.capacity": "[memory=8192,vcores=8]",
        "root.m.maximum-capacity": "[memory=12288,vcores=12]", "root.m.auto-create-child-queue.enabled": "true",
        "root.m.leaf-queue-template.capacity": "[memory=4096,vcores=4]",
        "root.m.leaf-queue-template.user-limit-factor": "10", "queue-mappings": "u:%user:root.m.%user",
    }, [node("n1", 16), *asking(1, None, 2, "ann"), *asking(2, None, 2, "bob"), *asking(3, None, 2, "eve"), HEARTBEAT,
        {"op": "finish", "app": 1}, {"op": "manage"}, HEARTBEAT, UPDATE])
    # `LeafQueue.reinitialize` puts the active list into a new one. Application 3 is active and waits when it moves
    # to root.b: the entry that waits stays, and becomes active. Its priority in root.b decides that 4 stands behind it.
    queues = {"root.queues": "a,b", "root.a.capacity": "80", "root.b.capacity": "20", "root.a.user-limit-factor": "10",
              "root.b.user-limit-factor": "10", "root.a.max-parallel-apps": "2"}
    yield scenario(3, {**queues, "maximum-am-resource-percent": "0.2"}, [
        node("n1", 10), submit(1, "root.a", priority=9), submit(2, "root.a"), submit(3, "root.a"), priority(3, 1),
        {"op": "finish", "app": 2}, UPDATE, {"op": "move", "app": 3, "queue": "root.b"},
        {"op": "reload", "capacity": in_full(queues)}, priority(3, 5), submit(4, "root.a", priority=3), ask(3, 1),
        ask(4, 1), HEARTBEAT, UPDATE], {"yarn.cluster.max-application-priority": "9"})


if __name__ == "__main__":
    for made in scenarios():
        print(json.dumps(made))

#!/usr/bin/env python3
"""days.py EVENWEAVE TRACE FOLDER COUNT SEED fair|capacity: simulates COUNT parts of a day, each written as a scenario.

Each part begins anywhere in the trace, on a small cluster under one of several files of queues, and goes on for 2,200
steps. The last 200 are the cut; those before it bring the scheduler to where it is by then.
"""
import gzip
import json
import os
import random
import subprocess
import sys

STEPS = 2200

QUEUES = [
    # Weights, shares and limits.
    """<allocations><queue name="root"><queue name="a"><weight>3.0</weight><minResources>8192 mb, 8 vcores</minResources></queue>
    <queue name="b"><maxResources>50%</maxResources><queue name="x"/><queue name="y"><maxRunningApps>4</maxRunningApps></queue></queue>
    <queue name="c"><maxAMShare>0.2</maxAMShare></queue></queue></allocations>""",
    # Dominant resources.
    """<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy><queue name="root"><schedulingPolicy>drf</schedulingPolicy>
    <queue name="a"><weight>2.0</weight></queue><queue name="b"><maxAMShare>-1.0</maxAMShare></queue>
    <queue name="c"><maxResources>40960 mb, 20 vcores</maxResources></queue></queue></allocations>""",
    # First come, first served.
    """<allocations><queue name="root"><queue name="a"><schedulingPolicy>fifo</schedulingPolicy></queue>
    <queue name="b"><schedulingPolicy>fifo</schedulingPolicy><maxRunningApps>6</maxRunningApps></queue></queue></allocations>""",
    # One queue a user's, with limits for all.
    """<allocations><queueMaxAMShareDefault>0.4</queueMaxAMShareDefault><userMaxAppsDefault>3</userMaxAppsDefault>
    <queue name="root"><queue name="a"/><queue name="b"/><queue name="c"/><queue name="d"/></queue></allocations>""",
]

CAPACITIES = [
    # Capacities, limits and users' parts.
    {"root.queues": "a,b", "root.a.capacity": "60", "root.a.maximum-capacity": "80", "root.b.capacity": "40", "root.b.queues": "x,y",
     "root.b.x.capacity": "70", "root.b.y.capacity": "30", "root.b.y.user-limit-factor": "3", "root.b.x.user-limit-factor": "2",
     "root.a.minimum-user-limit-percent": "25", "root.a.user-limit-factor": "2", "root.b.y.maximum-applications": "400"},
    # Dominant resources.
    {"root.queues": "a,b,c", "root.a.capacity": "50", "root.b.capacity": "30", "root.c.capacity": "20", "root.b.user-limit-factor": "4",
     "root.c.maximum-am-resource-percent": "0.5", "root.a.maximum-capacity": "70", "root.c.user-limit-factor": "2",
     "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"},
    # Leaves that share fairly, and weights.
    {"root.queues": "a,b", "root.a.capacity": "3w", "root.b.capacity": "1w", "root.a.ordering-policy": "fair", "root.b.ordering-policy": "fair",
     "root.b.ordering-policy.fair.enable-size-based-weight": "true", "root.b.user-limit-factor": "4", "root.a.user-limit-factor": "4"},
    # Absolute resources, and more AMs.
    {"root.queues": "a,b", "root.a.capacity": "[memory=16384,vcores=16]", "root.b.capacity": "[memory=20480,vcores=20]",
     "maximum-am-resource-percent": "0.4", "root.a.user-limit-factor": "3", "root.b.user-limit-factor": "3"},
]


def capacity_file(draw):
    """A capacity-scheduler.xml."""
    properties = dict(draw.choice(CAPACITIES))
    properties["node-locality-delay"] = draw.choice(["-1", "2", "40"])
    properties["per-node-heartbeat.multiple-assignments-enabled"] = draw.choice(["true", "false"])
    element = "<property><name>yarn.scheduler.capacity.%s</name><value>%s</value></property>"
    return "<configuration>%s</configuration>" % "".join(element % pair for pair in properties.items())


def known(step):
    """Whether every recorder does the step."""
    told = "launched" in step or "completed" in step
    return not (told or step.get("due") or step["op"] == "node-resize" or any("request-id" in ask for ask in step.get("asks", ())))


def first_unknown(path):
    """At which step of a scenario the first is that not every recorder does."""
    with open(path) as f:
        steps = json.loads(f.readline())["steps"]
    return next((at for at, step in enumerate(steps) if not known(step)), None)


def fair_settings(draw):
    return ["yarn.scheduler.fair.preemption=%s" % draw.choice(["true", "false", "false"]),
            "yarn.scheduler.fair.assignmultiple=%s" % draw.choice(["true", "false"]),
            "yarn.scheduler.fair.locality.threshold.node=%s" % draw.choice(["-1.0", "0.5"]),
            "yarn.scheduler.fair.sizebasedweight=%s" % draw.choice(["true", "false"])]


def capacity_settings(draw):
    policy = "yarn.resourcemanager.monitor.capacity.preemption."
    return ["yarn.resourcemanager.scheduler.monitor.enable=%s" % draw.choice(["true", "true", "false"]),
            policy + "max_wait_before_kill=%s" % draw.choice(["1000", "5000"]),
            policy + "total_preemption_per_round=%s" % draw.choice(["0.1", "1.0"]),
            policy + "natural_termination_factor=%s" % draw.choice(["0.2", "1.0"])]


def main():
    evenweave, trace, folder, count, seed = sys.argv[1:4] + [int(n) for n in sys.argv[4:6]]
    capacity = sys.argv[6:] == ["capacity"]
    draw = random.Random(seed)
    with gzip.open(trace, "rt") as f:
        jobs = [line.rstrip("\n").split("\t") for line in f if line.strip()]
    with open(os.path.join(folder, "decided.jsonl"), "w") as out:
        for number in range(count):
            first = draw.randrange(len(jobs) - 800)
            begins = int(jobs[first][1])
            part = os.path.join(folder, "part.tsv")
            with open(part, "w") as f:
                for job in jobs[first:first + 800]:
                    f.write("\t".join([job[0], str(int(job[1]) - begins)] + job[2:]) + "\n")
            queues = os.path.join(folder, "queues.xml")
            with open(queues, "w") as f:
                f.write(capacity_file(draw) if capacity else draw.choice(QUEUES))
            one = os.path.join(folder, "one.jsonl")
            settings = capacity_settings(draw) if capacity else fair_settings(draw)
            command = [evenweave, "simulate", part, "--config", queues, "--nodes", str(draw.randint(5, 20)),
                       "--rack-size", str(draw.randint(2, 6)), "--seed", str(draw.randrange(10 ** 6)), "--load",
                       str(draw.choice([1, 2, 4])), "--ams", draw.choice(["mapreduce", "sls"]), "--place-tasks",
                       "--decisions", one, "--until", "30m", "--quiet", "--out", os.path.join(folder, "out")]
            for setting in settings:
                command += ["-D", setting]
            subprocess.run(command + ["--decision-steps", str(STEPS)], check=True)
            unknown = first_unknown(one)
            if unknown is not None:
                subprocess.run(command + ["--decision-steps", str(unknown)], check=True)
            with open(one) as f:
                out.write(f.read().replace('"name":"simulated"', '"name":"simulated-%d-%03d"' % (seed, number), 1))


if __name__ == "__main__":
    main()

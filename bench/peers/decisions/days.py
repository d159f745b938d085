#!/usr/bin/env python3
"""days.py EVENWEAVE TRACE FOLDER COUNT SEED: simulates COUNT parts of a day, each written as a scenario.

Each part begins anywhere in the trace, on a small cluster under one of several files of queues, and goes on for 2,200
steps. The last 200 are the cut; those before it bring the scheduler to where it is by then.
"""
import gzip
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


def main():
    evenweave, trace, folder, count, seed = sys.argv[1:4] + [int(n) for n in sys.argv[4:6]]
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
                f.write(draw.choice(QUEUES))
            one = os.path.join(folder, "one.jsonl")
            settings = ["yarn.scheduler.fair.preemption=%s" % draw.choice(["true", "false", "false"]),
                        "yarn.scheduler.fair.assignmultiple=%s" % draw.choice(["true", "false"]),
                        "yarn.scheduler.fair.locality.threshold.node=%s" % draw.choice(["-1.0", "0.5"]),
                        "yarn.scheduler.fair.sizebasedweight=%s" % draw.choice(["true", "false"])]
            command = [evenweave, "simulate", part, "--config", queues, "--nodes", str(draw.randint(5, 20)),
                       "--rack-size", str(draw.randint(2, 6)), "--seed", str(draw.randrange(10 ** 6)), "--load",
                       str(draw.choice([1, 2, 4])), "--ams", draw.choice(["mapreduce", "sls"]), "--place-tasks",
                       "--decisions", one, "--decision-steps", str(STEPS), "--until", "30m", "--quiet",
                       "--out", os.path.join(folder, "out")]
            for setting in settings:
                command += ["-D", setting]
            subprocess.run(command, check=True)
            with open(one) as f:
                out.write(f.read().replace('"name":"simulated"', '"name":"simulated-%d-%03d"' % (seed, number), 1))


if __name__ == "__main__":
    main()

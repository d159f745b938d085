#!/usr/bin/env python3
"""large_trace.py GIB: writes a RUMEN trace of so many GiB, as long as a cluster of some 600 nodes takes it.

    bench/peers/sls/large_trace.py 10 | evenweave simulate /dev/stdin --config tools/data/today.xml --nodes 600

A job a second, of 100 tasks of 10 to 30 s, in the queues of tools/data/today.xml. A task has the fields that Hadoop's rumentrace writes,
most of which no simulator reads. The same text each time."""
import sys

BEGIN = 1_700_000_000_000  # ms since 1970
TASKS = 100
QUEUES = ("production", "science", "shared")
SPLITS = ",".join(str(1000 + 37 * n) for n in range(12))
TASK = (
    '{"taskID":"task_%(job)s_%(kind)s_%(number)06d","taskType":"%(type)s","taskStatus":"SUCCESS","startTime":%(start)d,"finishTime":%(end)d,'
    '"inputBytes":134217728,"inputRecords":1048576,"outputBytes":33554432,"outputRecords":262144,"numberMaps":-1,"numberReduces":-1,'
    '"preferredLocations":[],"attempts":[{"attemptID":"attempt_%(job)s_%(kind)s_%(number)06d_0","result":"SUCCESS","startTime":%(start)d,'
    '"finishTime":%(end)d,"hostName":"/rack%(rack)d/node%(node)d","location":null,"hdfsBytesRead":134217728,"hdfsBytesWritten":0,'
    '"fileBytesRead":0,"fileBytesWritten":33554432,"mapInputBytes":134217728,"mapInputRecords":1048576,"mapOutputBytes":33554432,'
    '"mapOutputRecords":262144,"combineInputRecords":0,"reduceInputGroups":-1,"reduceInputRecords":-1,"reduceShuffleBytes":-1,'
    '"reduceOutputRecords":-1,"spilledRecords":262144,"shuffleFinished":-1,"sortFinished":-1,"mapInputRecordsPerSecond":52428,'
    f'"clockSplits":[{SPLITS}],"cpuUsages":[{SPLITS}],"vMemKbytes":[{SPLITS}],"physMemKbytes":[{SPLITS}],'
    '"resourceUsageMetrics":{"cumulativeCpuUsage":18000,"virtualMemoryUsage":2147483648,"physicalMemoryUsage":805306368,"heapUsage":536870912}}]}'
)


def job(number):
    name = f"{BEGIN}_{number:06d}"
    submitted = BEGIN + 1000 * number

    def task(kind, index):
        node = (number * 31 + index * 7) % 600
        start = submitted + 2000
        return TASK % dict(job=name, kind=kind, type="MAP" if kind == "m" else "REDUCE", number=index, start=start,
                           end=start + 10_000 + (number * 17 + index * 131) % 20_000, rack=node % 15, node=node)

    maps = ",".join(task("m", index) for index in range(TASKS - 5))
    reduces = ",".join(task("r", index) for index in range(5))
    return (f'{{"jobID":"job_{name}","user":"user{number % 40}","queue":"root.{QUEUES[number % 3]}","jobName":"job {number}",'
            f'"priority":"NORMAL","outcome":"SUCCESS","submitTime":{submitted},"launchTime":{submitted + 1000},'
            f'"finishTime":{submitted + 60_000},"totalMaps":{TASKS - 5},"totalReduces":5,"mapTasks":[{maps}],"reduceTasks":[{reduces}]}}\n')


def main():
    left, number = float(sys.argv[1]) * 2**30, 0
    try:
        while left > 0:
            text = job(number)
            sys.stdout.write(text)
            left -= len(text)
            number += 1
        sys.stdout.flush()
    except BrokenPipeError:
        sys.exit("large_trace.py: the reader has ended")
    print(f"{number} jobs, {number * TASKS} tasks", file=sys.stderr)


if __name__ == "__main__":
    main()

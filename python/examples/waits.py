"""A day of a cluster under two files of queues: who waits how long?

Run it with a path for the picture: python python/examples/waits.py waits.png
"""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import LogLocator, NullLocator  # noqa: E402

import evenweave  # noqa: E402

# The bundled day of 2009, and the two bundled files of queues: today's and tomorrow's. Give your own with `config=`.
with warnings.catch_warnings():
    # What was cut short or refused is in the result, too.
    warnings.simplefilter("ignore", evenweave.SimulationWarning)
    day = evenweave.simulate(frame="pandas")
print(day.words)

# A row a job. Each run is one file of queues.
jobs = day.jobs.assign(wait_s=day.jobs["wait_ms"] / 1000)
waits = jobs.groupby(["queue", "config"])["wait_s"].describe(percentiles=[0.5, 0.95])
print("\nwaits in s\n")
print(waits[["count", "mean", "50%", "95%"]].round(1).to_string())

# How many of the jobs of a queue have waited no longer than that.
queues = sorted(jobs["queue"].unique())
figure, axes = plt.subplots(1, len(queues), figsize=(4 * len(queues), 3.5), sharey=True, squeeze=False)
for axis, queue in zip(axes[0], queues):
    for config, of_config in jobs[jobs["queue"] == queue].groupby("config"):
        values = of_config["wait_s"].dropna().astype(float).sort_values()
        axis.step(values, [(place + 1) / len(values) for place in range(len(values))], where="post", label=config)
    axis.set(title=queue, xlabel="wait in s", xscale="log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter("{x:g}")
    axis.grid(alpha=0.3)
axes[0][0].set_ylabel("part of the jobs")
axes[0][-1].legend(fontsize="small")
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "waits.png", dpi=120)

package evenweave.peers;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What was measured between its making and {@link #end}: counts, wall and processor time. */
final class Phase {
  private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Cluster cluster;
  private final long allocated;
  private final long nodeLocal;
  private final long cpu = PROCESS.getProcessCpuTime();
  private final long driverCpu = threadCpu();
  private final long start = System.nanoTime();

  Phase(Cluster cluster) {
    this.cluster = cluster;
    allocated = cluster.allocated();
    nodeLocal = cluster.allocatedNodeLocal();
  }

  /** Processor nanoseconds of the calling thread. */
  static long threadCpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  boolean lasted(double seconds) {
    return System.nanoTime() - start >= seconds * 1e9;
  }

  long allocated() {
    return cluster.allocated() - allocated;
  }

  /**
   * The record. {@code otherDriverCpu}: nanoseconds of a second driver thread. {@code updates}: of W3.
   */
  Json end(Options options, Times heartbeats, Times allocates, long otherDriverCpu, Times updates) {
    double wall = (System.nanoTime() - start) / 1e9;
    double process = (PROCESS.getProcessCpuTime() - cpu) / 1e9;
    double drivers = (threadCpu() - driverCpu + otherDriverCpu) / 1e9;
    long count = allocated();
    double thousands = count / 1e3;
    long local = cluster.allocatedNodeLocal() - nodeLocal;
    Size size = options.size;
    return new Json()
        .put("peer", "hadoop-" + options.scheduler.text())
        .put("workload", options.workload.name())
        .put("nodes", size.nodes)
        .put("queues", size.queues)
        .put("apps", size.apps)
        .put("assign", options.assign.text())
        .put("drivers", options.drivers)
        .put("allocations", count)
        .put("seconds", wall)
        .put("allocations_per_s", count / wall)
        .put("cpu_s_per_1000", count == 0 ? 0 : process / thousands)
        .put("driver_cpu_s_per_1000", count == 0 ? 0 : drivers / thousands)
        .put("in_scheduler", (heartbeats.sum() + allocates.sum() + updates.sum()) / 1e9 / wall)
        .put("full", (double) cluster.running() / size.capacity())
        .put("node_local", count == 0 ? 0 : (double) local / count)
        .put("heartbeat_us", heartbeats.percentiles())
        .put("allocate_us", allocates.percentiles())
        .put("update_ms", updates.spread());
  }
}

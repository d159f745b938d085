package evenweave.peers;

import evenweave.peers.Options.Assign;
import evenweave.peers.Options.Scheduler;
import java.time.Duration;
import java.util.StringJoiner;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.util.resource.DominantResourceCalculator;

/** What the CapacityScheduler is told: everything stands in properties, the queues with weights as capacities too. */
final class CapacitySettings {
  private static final String PREFIX = "yarn.scheduler.capacity.";

  private CapacitySettings() {
  }

  static void set(Options options, Configuration conf) {
    conf.set(YarnConfiguration.RM_SCHEDULER, CapacityScheduler.class.getName());
    conf.set(PREFIX + "resource-calculator", DominantResourceCalculator.class.getName());
    conf.set(PREFIX + "maximum-am-resource-percent", "1.0");
    conf.set(PREFIX + "maximum-applications", String.valueOf(100 * Size.L50.apps));
    heartbeats(options, conf);
    queues(options.size, conf);
    conf.setInt(PREFIX + "node-locality-delay", options.size.nodes / 2);
    conf.setInt(PREFIX + "rack-locality-additional-delay", options.size.nodes / 2);
  }

  private static void heartbeats(Options options, Configuration conf) {
    String perHeartbeat = PREFIX + "per-node-heartbeat.";
    conf.setBoolean(perHeartbeat + "multiple-assignments-enabled", options.assign == Assign.MAX);
    if (options.assign == Assign.MAX) {
      conf.setInt(perHeartbeat + "maximum-container-assignments", 1_000);
      conf.setInt(perHeartbeat + "maximum-offswitch-assignments", 1_000);
    }
    boolean async = options.scheduler == Scheduler.CAPACITY_ASYNC;
    conf.setBoolean(PREFIX + "schedule-asynchronously.enable", async);
    if (async) {
      conf.setInt(PREFIX + "schedule-asynchronously.maximum-threads", options.asyncThreads);
      conf.setInt(PREFIX + "schedule-asynchronously.scheduling-interval-ms", 0);
      // Its threads pass over nodes that have missed two heartbeats; here nodes report as fast as the driver gets round. This is
      // the longest interval that the expiry of nodes lets be set.
      conf.setLong(YarnConfiguration.RM_NM_HEARTBEAT_INTERVAL_MS, Duration.ofMinutes(10).toMillis());
    }
  }

  private static void queues(Size size, Configuration conf) {
    StringJoiner parents = new StringJoiner(",");
    for (int parent = 0; parent < size.parents(); parent++) {
      parents.add("p" + parent);
      conf.set(PREFIX + "root.p" + parent + ".capacity", Size.weight(parent) + "w");
      StringJoiner leaves = new StringJoiner(",");
      for (int i = 0; i < size.leavesOfParent(); i++) {
        int leaf = parent * size.leavesOfParent() + i;
        leaves.add("q" + leaf);
        conf.set(PREFIX + size.leaf(leaf) + ".capacity", Size.weight(leaf) + "w");
        conf.set(PREFIX + size.leaf(leaf) + ".user-limit-factor", "-1");
      }
      conf.set(PREFIX + "root.p" + parent + ".queues", leaves.toString());
    }
    conf.set(PREFIX + "root.queues", parents.toString());
  }
}

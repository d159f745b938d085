package lockstep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** What a session's cluster is made of: by its seed alone. */
final class Plan {
  final boolean capacity;
  final List<String> leaves = new ArrayList<>();
  final int nodes;
  final int memoryOfNode;
  /**
   * Attempts keep the containers of those before. Not together with limits on running applications: Hadoop's FairScheduler counts kept
   * containers twice when an attempt that had to wait may run, and does so for good.
   */
  final boolean keeps;
  private final Random dice;
  private final StringBuilder file = new StringBuilder("<?xml version=\"1.0\"?>\n<allocations>\n");
  private final YarnConfiguration conf = new YarnConfiguration();

  Plan(boolean capacity, long seed, Path folder) throws IOException {
    this.capacity = capacity;
    this.dice = new Random(seed * 31 + 7);
    keeps = dice.nextBoolean();
    nodes = 2 + dice.nextInt(8);
    memoryOfNode = 1024 * (4 + dice.nextInt(13));
    conf.setClass("net.topology.node.switch.mapping.impl", Racks.class, org.apache.hadoop.net.DNSToSwitchMapping.class);
    conf.setBoolean("hadoop.security.token.service.use_ip", false);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, dice.nextBoolean() ? 512 : 1024);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MAXIMUM_ALLOCATION_MB, 1024 * (3 + dice.nextInt(10)));
    conf.setInt(YarnConfiguration.RM_AM_MAX_ATTEMPTS, 1 + dice.nextInt(2));
    // The configured largest container holds for so long after the start, then the largest node counts: sessions go by no clock.
    conf.setLong(YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_SCHEDULING_WAIT_MS, 1_000_000_000);
    if (capacity) {
      capacity();
    } else {
      fair(folder);
    }
  }

  private String maybe(double chance, String text) {
    return dice.nextDouble() < chance ? text : "";
  }

  private void fair(Path folder) throws IOException {
    for (int i = 0; i < 2 + dice.nextInt(3); i++) {
      int below = dice.nextInt(3);
      file.append("<queue name=\"q").append(i).append("\">").append(settings(below == 0));
      if (below == 0) {
        file.append(maybe(0.3, "<schedulingPolicy>fifo</schedulingPolicy>"));
        leaves.add("root.q" + i);
      }
      for (int j = 0; j < below; j++) {
        file.append("<queue name=\"s").append(j).append("\">").append(settings(true))
            .append(maybe(0.3, "<schedulingPolicy>fifo</schedulingPolicy>")).append("</queue>");
        leaves.add("root.q" + i + ".s" + j);
      }
      file.append("</queue>\n");
    }
    file.append(maybe(0.3, "<defaultQueueSchedulingPolicy>" + "drf" + "</defaultQueueSchedulingPolicy>\n"));
    file.append(maybe(keeps ? 0 : 0.3, "<userMaxAppsDefault>" + (1 + dice.nextInt(4)) + "</userMaxAppsDefault>\n"));
    file.append("</allocations>\n");
    Path path = folder.resolve("fair.xml");
    Files.write(path, file.toString().getBytes());
    conf.set("yarn.scheduler.fair.allocation.file", path.toAbsolutePath().toString());
    // Updates are made by the session.
    conf.setLong("yarn.scheduler.fair.update-interval-ms", 0);
    conf.setBoolean("yarn.scheduler.fair.assignmultiple", dice.nextBoolean());
    conf.setBoolean("yarn.scheduler.fair.dynamic.max.assign", dice.nextBoolean());
    conf.setInt("yarn.scheduler.fair.max.assign", dice.nextInt(4) - 1);
    conf.setBoolean("yarn.scheduler.fair.sizebasedweight", dice.nextInt(4) == 0);
    double[] delays = {-1, 0, 0.3, 1};
    conf.setDouble("yarn.scheduler.fair.locality.threshold.node", delays[dice.nextInt(4)]);
    conf.setDouble("yarn.scheduler.fair.locality.threshold.rack", delays[dice.nextInt(4)]);
    // Nobody has configured it: it comes with the first application.
    leaves.add("root.new");
  }

  private String settings(boolean leaf) {
    return maybe(0.4, "<weight>" + (1 + dice.nextInt(5)) + "." + dice.nextInt(10) + "</weight>")
        + maybe(0.3, "<minResources>" + 1024 * (1 + dice.nextInt(8)) + " mb, " + (1 + dice.nextInt(8)) + " vcores</minResources>")
        + maybe(0.3, "<maxResources>" + 1024 * (8 + dice.nextInt(40)) + " mb, " + (8 + dice.nextInt(40)) + " vcores</maxResources>")
        + maybe(keeps ? 0 : 0.3, "<maxRunningApps>" + (1 + dice.nextInt(5)) + "</maxRunningApps>")
        + maybe(leaf ? 0.3 : 0, "<maxAMShare>0." + (2 + dice.nextInt(8)) + "</maxAMShare>");
  }

  private void capacity() {
    int count = 2 + dice.nextInt(3);
    StringBuilder names = new StringBuilder();
    int left = 100;
    for (int i = 0; i < count; i++) {
      int part = i == count - 1 ? left : 5 + dice.nextInt(left / 2);
      left -= part;
      queue("root.q" + i, part);
      names.append(i == 0 ? "" : ",").append("q").append(i);
      if (dice.nextInt(3) == 0) {
        set("root.q" + i, "queues", "s0,s1");
        int first = 10 + dice.nextInt(80);
        queue("root.q" + i + ".s0", first);
        queue("root.q" + i + ".s1", 100 - first);
        leaf("root.q" + i + ".s0");
        leaf("root.q" + i + ".s1");
      } else {
        leaf("root.q" + i);
      }
    }
    set("root", "queues", names.toString());
    // Which of several reservations is given up for a container elsewhere is a hash order in Hadoop.
    conf.setBoolean("yarn.scheduler.capacity.reservations-continue-look-all-nodes", false);
    conf.setInt("yarn.scheduler.capacity.node-locality-delay", dice.nextInt(4) - 1);
    conf.setBoolean("yarn.scheduler.capacity.per-node-heartbeat.multiple-assignments-enabled", dice.nextBoolean());
    conf.setInt("yarn.scheduler.capacity.per-node-heartbeat.maximum-container-assignments", dice.nextInt(5) - 1);
    conf.setInt("yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments", 1 + dice.nextInt(3));
    if (dice.nextBoolean()) {
      conf.set("yarn.scheduler.capacity.resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    }
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0." + (2 + dice.nextInt(8)));
  }

  private void set(String queue, String name, String value) {
    conf.set("yarn.scheduler.capacity." + queue + "." + name, value);
  }

  private void queue(String queue, int part) {
    set(queue, "capacity", Integer.toString(part));
    set(queue, "maximum-capacity", Integer.toString(part + dice.nextInt(101 - part)));
  }

  private void leaf(String queue) {
    leaves.add(queue);
    set(queue, "user-limit-factor", "0." + (3 + dice.nextInt(7)));
    if (dice.nextBoolean()) {
      set(queue, "user-limit-factor", Integer.toString(1 + dice.nextInt(4)));
    }
    set(queue, "minimum-user-limit-percent", Integer.toString(25 * (1 + dice.nextInt(4))));
    if (dice.nextInt(3) == 0) {
      set(queue, "ordering-policy", "fair");
    }
  }

  Configuration of(String scheduler) {
    YarnConfiguration copy = new YarnConfiguration(conf);
    copy.set(YarnConfiguration.RM_SCHEDULER, scheduler);
    return copy;
  }
}

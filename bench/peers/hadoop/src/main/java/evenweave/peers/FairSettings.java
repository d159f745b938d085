package evenweave.peers;

import evenweave.peers.Options.Assign;
import evenweave.peers.Options.Scheduler;
import evenweave.peers.Options.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;

/** What the FairScheduler is told: properties, and an allocation file that has no queues until the nodes are there. */
final class FairSettings {
  private static final String PREFIX = "yarn.scheduler.fair.";
  private static final String POLICY = "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>";

  private final Path file;

  /** Writes the file without queues and sets the properties. */
  FairSettings(Options options, Configuration conf) throws IOException {
    file = Files.createTempFile("evenweave-peer-", ".xml");
    file.toFile().deleteOnExit();
    write("");
    conf.set(YarnConfiguration.RM_SCHEDULER, FairScheduler.class.getName());
    conf.set(PREFIX + "allocation.file", file.toString());
    conf.setBoolean(PREFIX + "preemption", false);
    conf.setBoolean(PREFIX + "assignmultiple", options.assign != Assign.ONE);
    conf.setBoolean(PREFIX + "dynamic.max.assign", options.assign == Assign.DYN);
    if (options.assign == Assign.MAX) {
      conf.setInt(PREFIX + "max.assign", 1_000);
    }
    conf.setBoolean(PREFIX + "continuous-scheduling-enabled", options.scheduler == Scheduler.FAIR_CONTINUOUS);
    if (options.workload == Workload.W3) {
      // The thread cannot be switched off; it can be made to sleep for longer than any run.
      conf.setLong(PREFIX + "update-interval-ms", Duration.ofDays(7).toMillis());
    }
    if (options.workload == Workload.W4) {
      conf.setFloat(PREFIX + "locality.threshold.node", 0.5f);
      conf.setFloat(PREFIX + "locality.threshold.rack", 0.5f);
    }
  }

  /** Makes the queues. They come after the nodes because each added node computes every queue's steady share anew. */
  void addQueues(Size size, FairScheduler scheduler, Cluster cluster) throws IOException {
    StringBuilder queues = new StringBuilder();
    for (int parent = 0; parent < size.parents(); parent++) {
      queues.append("<queue name=\"p").append(parent).append("\"><weight>").append(Size.weight(parent)).append("</weight>");
      for (int i = 0; i < size.leavesOfParent(); i++) {
        int leaf = parent * size.leavesOfParent() + i;
        queues.append("<queue name=\"q").append(leaf).append("\"><weight>").append(Size.weight(leaf)).append("</weight></queue>");
      }
      queues.append("</queue>\n");
    }
    write(queues.toString());
    scheduler.reinitialize(cluster.configuration(), cluster.context());
    for (int leaf = 0; leaf < size.queues; leaf++) {
      var queue = scheduler.getQueueManager().getLeafQueue(size.leaf(leaf), false);
      if (queue == null || queue.getWeight() != Size.weight(leaf)) {
        throw new IllegalStateException("queue " + size.leaf(leaf) + " was not made as the allocation file has it");
      }
    }
  }

  private void write(String queues) throws IOException {
    Files.writeString(file, "<?xml version=\"1.0\"?>\n<allocations>\n" + queues + POLICY + "\n</allocations>\n");
    // As if written long ago: the reload thread takes a file that has changed lately, which would be while it is measured.
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofMinutes(10))));
  }
}

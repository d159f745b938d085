package lockstep;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;
import org.slf4j.event.Level;

/** An allocation file on a file system of Hadoop's, here ViewFs: what queues there are by it, as it changes. */
final class QueueFile {
  private static final String MOUNTED = "viewfs://cluster/conf/fair.xml";
  /** Longer than it takes until a change is quiet and somebody looks. */
  private static final long PATIENCE_MS = 40_000;

  private final Path folder;
  private final String scheduler;
  private final List<String> lines = new ArrayList<>();
  private MockRM rm;

  QueueFile(Path folder, String scheduler) {
    this.folder = folder;
    this.scheduler = scheduler;
  }

  List<String> run() throws Exception {
    for (String refused : new String[] {"ftp://host/fair.xml", "viewfs://cluster/conf/none.xml", "viewfs://cluster/nowhere/fair.xml"}) {
      lines.add(refused + ": " + starts(refused));
      stop();
    }
    write("a");
    lines.add(MOUNTED + ": " + starts(MOUNTED) + " " + queues());
    write("a", "b");
    lines.add("refreshed: " + refreshes() + " " + queues());
    write("a", "b<");
    // Hadoop's class writes why into the log alone, Evenweave's tells the caller.
    refreshes();
    lines.add("broken: " + queues());
    long written = System.currentTimeMillis();
    write("a", "b", "c");
    while (!queues().contains("root.c") && System.currentTimeMillis() < written + PATIENCE_MS) {
      Thread.sleep(100);
    }
    boolean isEarly = System.currentTimeMillis() < written + 5_000;
    lines.add("by itself, " + (isEarly ? "before" : "after") + " 5 s: " + queues());
    stop();
    return lines;
  }

  private String starts(String file) throws Exception {
    Configuration conf = new YarnConfiguration();
    conf.set(YarnConfiguration.RM_SCHEDULER, scheduler);
    conf.set("fs.viewfs.mounttable.cluster.link./conf", folder.resolve("mounted").toUri().toString());
    conf.set("yarn.scheduler.fair.allocation.file", file);
    // What a reload has changed is shown by then.
    conf.setLong("yarn.scheduler.fair.update-interval-ms", 100);
    try {
      rm = new MockRM(conf, null, false, false);
      GenericTestUtils.setRootLogLevel(Level.ERROR);
      rm.start();
      return "starts";
    } catch (Exception refused) {
      return "does not start";
    }
  }

  private void stop() {
    if (rm != null) {
      rm.stop();
      rm = null;
    }
  }

  private String refreshes() {
    try {
      rm.getResourceScheduler().reinitialize(rm.getConfig(), rm.getRMContext());
      return "yes";
    } catch (IOException refused) {
      return "no";
    }
  }

  private void write(String... queues) throws IOException {
    StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n<allocations>\n");
    for (String queue : queues) {
      text.append("<queue name=\"").append(queue).append("\"/>\n");
    }
    Path mounted = Files.createDirectories(folder.resolve("mounted"));
    Files.write(mounted.resolve("fair.xml"), text.append("</allocations>\n").toString().getBytes(StandardCharsets.UTF_8));
  }

  private List<String> queues() throws IOException {
    ResourceScheduler all = rm.getResourceScheduler();
    List<String> names = new ArrayList<>();
    for (QueueInfo queue : all.getQueueInfo("root", true, false).getChildQueues()) {
      names.add(queue.getQueueName());
    }
    names.sort(null);
    return names;
  }
}

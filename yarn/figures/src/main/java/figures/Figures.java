package figures;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.slf4j.event.Level;

/**
 * {@code Figures CLASS SECONDS FOLDER ROOM NODES QUEUES APPLICATIONS}: a whole ResourceManager in this Java machine, over simulated nodes that report once a
 * second and masters that always ask for more. Each container runs from one report of its node to the next. Each node has room for ROOM of them.
 */
public final class Figures {
  private static final int PENDING = 4000;
  private static final int WARM_UP = 10;
  /** Threads that call for masters, each for its own ones: signing tokens is work of theirs, and the ResourceManager has fifty that answer. */
  private static final int CALLERS = 4;
  /** What all masters together call in a second. Each calls ten times where they are few, once where they are many. */
  private static final int CALLS = 1000;

  private static final class Node {
    MockNM nm;
    final ConcurrentLinkedQueue<ContainerId> fresh = new ConcurrentLinkedQueue<>();
    List<ContainerId> running = new ArrayList<>();
  }

  private final Map<NodeId, Node> byId = new HashMap<>();
  private final List<Node> nodes = new ArrayList<>();
  private final AtomicLong containers = new AtomicLong();
  private final AtomicLong heartbeats = new AtomicLong();
  private final AtomicLong calls = new AtomicLong();
  private volatile boolean stopped;

  public static void main(String[] args) throws Exception {
    int[] load = Arrays.stream(args, 3, 7).mapToInt(Integer::parseInt).toArray();
    new Figures().run(args[0], Integer.parseInt(args[1]), Path.of(args[2]), load[0], load[1], load[2], load[3]);
    System.exit(0);
  }

  /** So many queues, {@code q0} and on, in the files of either scheduler. */
  static Configuration configuration(String scheduler, Path folder, int queues) throws Exception {
    YarnConfiguration conf = new YarnConfiguration();
    conf.set(YarnConfiguration.RM_SCHEDULER, scheduler);
    conf.setBoolean("hadoop.security.token.service.use_ip", false);
    StringBuilder file = new StringBuilder("<?xml version=\"1.0\"?><allocations><queueMaxAMShareDefault>-1</queueMaxAMShareDefault>");
    StringBuilder names = new StringBuilder("q0");
    for (int i = 0; i < queues; i++) {
      file.append("<queue name=\"q").append(i).append("\"/>");
      names.append(i == 0 ? "" : ",q" + i);
      conf.setFloat("yarn.scheduler.capacity.root.q" + i + ".capacity", 100f / queues);
      conf.setInt("yarn.scheduler.capacity.root.q" + i + ".user-limit-factor", 100);
    }
    conf.set("yarn.scheduler.capacity.root.queues", names.toString());
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1");
    conf.setInt("yarn.scheduler.capacity.maximum-applications", 1_000_000);
    // The CapacityScheduler gives one of these a heartbeat otherwise.
    conf.setInt("yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments", 100);
    Path allocations = folder.resolve("figures.xml");
    Files.writeString(allocations, file.append("</allocations>"));
    conf.set("yarn.scheduler.fair.allocation.file", allocations.toAbsolutePath().toString());
    conf.setBoolean("yarn.scheduler.fair.assignmultiple", true);
    return conf;
  }

  private void run(String scheduler, int seconds, Path folder, int room, int count, int queues, int applications) throws Exception {
    TimedManager rm = new TimedManager(configuration(scheduler, folder, queues));
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    rm.start();
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    for (int i = 0; i < count; i++) {
      Node node = new Node();
      // An address of its own, which nobody has to look up.
      node.nm = new MockNM("127.1." + i / 250 + "." + (1 + i % 250) + ":1", 1024 * room, room, rm.getResourceTrackerService());
      node.nm.registerNode();
      byId.put(node.nm.getNodeId(), node);
      nodes.add(node);
    }
    rm.drainEvents();
    List<MockAM> masters = Simulated.masters(rm, applications, i -> "q" + i % queues);
    List<Thread> threads = new ArrayList<>();
    threads.add(new Thread(this::report, "nodes"));
    for (int i = 0; i < CALLERS; i++) {
      int first = i;
      threads.add(new Thread(() -> call(masters, first), "masters-" + i));
    }
    threads.forEach(Thread::start);
    Thread.sleep(WARM_UP * 1000L);
    com.sun.management.OperatingSystemMXBean machine =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long got = containers.get();
    long beats = heartbeats.get();
    long called = calls.get();
    long waited = rm.waited.get();
    long handled = rm.handled.get();
    long lengths = rm.lengths.get();
    long processor = machine.getProcessCpuTime();
    long begin = System.nanoTime();
    Thread.sleep(seconds * 1000L);
    double past = (System.nanoTime() - begin) / 1e9;
    got = containers.get() - got;
    handled = Math.max(1, rm.handled.get() - handled);
    double spent = (machine.getProcessCpuTime() - processor) / 1e9;
    System.out.printf("%-24s %4d nodes, %3d queues, %5d applications: %7.0f containers/s, %6.0f heartbeats/s, %8.2f ms from a heartbeat to its end, %7.1f events wait, "
            + "%5.2f processors, %7.1f us of them a container, %6.0f calls of masters/s%n",
        scheduler.substring(scheduler.lastIndexOf('.') + 1), count, queues, applications, got / past, (heartbeats.get() - beats) / past,
        (rm.waited.get() - waited) / 1e6 / handled, (rm.lengths.get() - lengths) / (double) handled, spent / past,
        spent / Math.max(1, got) * 1e6, (calls.get() - called) / past);
    System.out.flush();
    stopped = true;
    rm.end();
  }

  /** Each node in its turn, all of them once a second where that is possible. */
  private void report() {
    long begin = System.nanoTime();
    for (long turn = 0; !stopped; turn++) {
      for (int i = 0; i < nodes.size() && !stopped; i++) {
        long due = begin + turn * 1_000_000_000L + i * 1_000_000_000L / nodes.size();
        long ahead = due - System.nanoTime();
        if (ahead > 1_000_000) {
          Simulated.sleep(ahead / 1_000_000);
        }
        report(nodes.get(i));
      }
    }
  }

  private void report(Node node) {
    List<ContainerStatus> statuses = new ArrayList<>();
    node.running.forEach(id -> statuses.add(Simulated.status(id, ContainerState.COMPLETE)));
    List<ContainerId> now = new ArrayList<>();
    for (ContainerId id = node.fresh.poll(); id != null; id = node.fresh.poll()) {
      now.add(id);
      statuses.add(Simulated.status(id, ContainerState.RUNNING));
    }
    node.running = now;
    try {
      node.nm.nodeHeartbeat(Collections.singletonMap(null, statuses), true);
      heartbeats.incrementAndGet();
    } catch (Exception refused) {
      throw new IllegalStateException(refused);
    }
  }

  /** Every so many masters from the first on: each calls in its turn, and asks for so much that it never has all. */
  private void call(List<MockAM> masters, int first) {
    ResourceRequest ask = ResourceRequest.newInstance(Priority.newInstance(1), ResourceRequest.ANY, Resource.newInstance(1024, 1), PENDING);
    long pause = CALLERS * 1_000_000_000L / Math.min(CALLS, masters.size() * 10L);
    long due = System.nanoTime();
    for (int i = first; !stopped; i = i + CALLERS < masters.size() ? i + CALLERS : first) {
      long now = System.nanoTime();
      // Calls that were not made in time are not made up for.
      due = Math.max(due + pause, now - 100 * pause);
      if (due - now > 1_000_000) {
        Simulated.sleep((due - now) / 1_000_000);
      }
      try {
        List<ResourceRequest> asks = Collections.singletonList(ResourceRequest.clone(ask));
        AllocateResponse answer = masters.get(i).allocate(AllocateRequest.newInstance(0, 0, asks, Collections.emptyList(), null));
        calls.incrementAndGet();
        for (Container container : answer.getAllocatedContainers()) {
          containers.incrementAndGet();
          byId.get(container.getNodeId()).fresh.add(container.getId());
        }
      } catch (Exception refused) {
        throw new IllegalStateException(refused);
      }
    }
  }
}

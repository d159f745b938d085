package figures;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
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
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmissionData;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmitter;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.utils.BuilderUtils;
import org.slf4j.event.Level;

/**
 * {@code Figures CLASS NODES SECONDS FOLDER}: a whole ResourceManager in this Java machine, over simulated nodes that report once a second and masters
 * that always ask for more. Each container runs from one report of its node to the next, so that a scheduler that keeps up fills every node each second.
 */
public final class Figures {
  static final int QUEUES = 20;
  private static final int APPLICATIONS = 100;
  private static final int PER_NODE = 8;
  private static final int PENDING = 4000;
  private static final int WARM_UP = 10;

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
    new Figures().run(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]), Path.of(args[3]));
    System.exit(0);
  }

  static Configuration configuration(String scheduler, Path folder) throws Exception {
    YarnConfiguration conf = new YarnConfiguration();
    conf.set(YarnConfiguration.RM_SCHEDULER, scheduler);
    conf.setBoolean("hadoop.security.token.service.use_ip", false);
    StringBuilder file = new StringBuilder("<?xml version=\"1.0\"?><allocations><queueMaxAMShareDefault>-1</queueMaxAMShareDefault>");
    StringBuilder names = new StringBuilder("q0");
    for (int i = 0; i < QUEUES; i++) {
      file.append("<queue name=\"q").append(i).append("\"/>");
      names.append(i == 0 ? "" : ",q" + i);
      conf.setFloat("yarn.scheduler.capacity.root.q" + i + ".capacity", 100f / QUEUES);
      conf.setInt("yarn.scheduler.capacity.root.q" + i + ".user-limit-factor", 100);
    }
    conf.set("yarn.scheduler.capacity.root.queues", names.toString());
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1");
    Path allocations = folder.resolve("figures.xml");
    Files.writeString(allocations, file.append("</allocations>"));
    conf.set("yarn.scheduler.fair.allocation.file", allocations.toAbsolutePath().toString());
    conf.setBoolean("yarn.scheduler.fair.assignmultiple", true);
    return conf;
  }

  private void run(String scheduler, int count, int seconds, Path folder) throws Exception {
    TimedManager rm = new TimedManager(configuration(scheduler, folder));
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    rm.start();
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    for (int i = 0; i < count; i++) {
      Node node = new Node();
      // An address of its own, which nobody has to look up.
      node.nm = new MockNM("127.1." + i / 250 + "." + (1 + i % 250) + ":1", 1024 * (PER_NODE + 1), 64, rm.getResourceTrackerService());
      node.nm.registerNode();
      byId.put(node.nm.getNodeId(), node);
      nodes.add(node);
    }
    rm.drainEvents();
    List<MockAM> masters = new ArrayList<>();
    for (int i = 0; i < APPLICATIONS; i++) {
      masters.add(start(rm, "q" + i % QUEUES));
    }
    List<Thread> threads = new ArrayList<>();
    threads.add(new Thread(this::report, "nodes"));
    threads.add(new Thread(() -> call(masters), "masters"));
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
    System.out.printf("%-28s %5d nodes: %8.0f containers/s, %6.0f heartbeats/s, %8.2f ms from a heartbeat to its end, %7.1f events wait, "
            + "%5.2f processors, %7.1f us of them a container, %6.0f calls of masters/s%n",
        scheduler.substring(scheduler.lastIndexOf('.') + 1), count, got / past, (heartbeats.get() - beats) / past,
        (rm.waited.get() - waited) / 1e6 / handled, (rm.lengths.get() - lengths) / (double) handled, spent / past,
        spent / Math.max(1, got) * 1e6, (calls.get() - called) / past);
    System.out.flush();
    stopped = true;
    rm.end();
  }

  /** An application whose master runs. */
  private MockAM start(TimedManager rm, String queue) throws Exception {
    RMApp app = UserGroupInformation.createRemoteUser("ann").doAs((java.security.PrivilegedExceptionAction<RMApp>) () ->
        MockRMAppSubmitter.submit(rm, MockRMAppSubmissionData.Builder.createWithMemory(1024, rm).withQueue(queue).withUser("ann")
            .withWaitForAppAcceptedState(false).build()));
    while (app.getState() != RMAppState.ACCEPTED || app.getCurrentAppAttempt().getState() != RMAppAttemptState.ALLOCATED) {
      if (app.getCurrentAppAttempt() != null && app.getCurrentAppAttempt().getState() == RMAppAttemptState.SCHEDULED) {
        nodes.get((int) (Math.random() * nodes.size())).nm.nodeHeartbeat(true);
      }
      Thread.sleep(2);
    }
    MockAM master = rm.sendAMLaunched(app.getCurrentAppAttempt().getAppAttemptId());
    rm.drainEvents();
    master.registerAppAttempt(false);
    return master;
  }

  /** Each node in its turn, all of them once a second where that is possible. */
  private void report() {
    long begin = System.nanoTime();
    for (long turn = 0; !stopped; turn++) {
      for (int i = 0; i < nodes.size() && !stopped; i++) {
        long due = begin + turn * 1_000_000_000L + i * 1_000_000_000L / nodes.size();
        long ahead = due - System.nanoTime();
        if (ahead > 1_000_000) {
          sleep(ahead / 1_000_000);
        }
        report(nodes.get(i));
      }
    }
  }

  private void report(Node node) {
    List<ContainerStatus> statuses = new ArrayList<>();
    node.running.forEach(id -> statuses.add(status(id, ContainerState.COMPLETE)));
    List<ContainerId> now = new ArrayList<>();
    for (ContainerId id = node.fresh.poll(); id != null; id = node.fresh.poll()) {
      now.add(id);
      statuses.add(status(id, ContainerState.RUNNING));
    }
    node.running = now;
    try {
      node.nm.nodeHeartbeat(Collections.singletonMap(null, statuses), true);
      heartbeats.incrementAndGet();
    } catch (Exception refused) {
      throw new IllegalStateException(refused);
    }
  }

  private static ContainerStatus status(ContainerId id, ContainerState state) {
    return BuilderUtils.newContainerStatus(id, state, "", 0, Resource.newInstance(0, 0));
  }

  /** Each master calls ten times a second where that is possible, and asks for so much that it never has all. */
  private void call(List<MockAM> masters) {
    List<ResourceRequest> asks = List.of(ResourceRequest.newInstance(Priority.newInstance(1), ResourceRequest.ANY,
        Resource.newInstance(1024, 1), PENDING));
    while (!stopped) {
      long begin = System.nanoTime();
      for (MockAM master : masters) {
        try {
          List<ResourceRequest> copy = new ArrayList<>();
          asks.forEach(ask -> copy.add(ResourceRequest.clone(ask)));
          AllocateResponse answer = master.allocate(AllocateRequest.newInstance(0, 0, copy, Collections.emptyList(), null));
          calls.incrementAndGet();
          for (Container container : answer.getAllocatedContainers()) {
            containers.incrementAndGet();
            byId.get(container.getNodeId()).fresh.add(container.getId());
          }
        } catch (Exception refused) {
          throw new IllegalStateException(refused);
        }
      }
      long left = 100 - (System.nanoTime() - begin) / 1_000_000;
      if (left > 0) {
        sleep(left);
      }
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }
}

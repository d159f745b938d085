package figures;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.slf4j.event.Level;

/**
 * {@code Soak CLASS MINUTES FOLDER}: a ResourceManager whose nodes are lost all the time, and whether it loses anything.
 *
 * <p>Each master asks for some containers, on a host or anywhere, waits until it has been given so many and all of them have ended, and asks again; some it
 * gives back at once. After some rounds it finishes, and another application comes. Meanwhile nodes are lost and register anew, or are ill for a while.
 *
 * <p>Checked all the time: no container is given twice, no end is told twice, no master gets more than it asked for. In the end, when nobody asks any more:
 * each master has got as many as it asked for, and has heard the end of each; the metrics of the root queue, each node's books and each attempt's list of
 * containers are empty again, what is available is the whole cluster, and the scheduler's own books of the root queue say that nothing is used.
 */
public final class Soak {
  private static final int NODES = 200;
  private static final int ROOM = 16;
  private static final int MASTERS = 50;
  private static final int QUEUES = 10;
  private static final int MOST_ASKED = 100;
  private static final int ROUNDS = 20;
  private static final long LOSS_EVERY_MS = 500;
  private static final long PATIENCE_MS = 120_000;

  private static final class Node {
    final int index;
    MockNM nm;
    boolean up = true;
    boolean well = true;
    /** Reports that are left of each container that runs here. */
    final Map<ContainerId, Integer> running = new HashMap<>();
    final List<ContainerId> fresh = new ArrayList<>();

    Node(int index) {
      this.index = index;
    }

    static String host(int index) {
      return "127.1.0." + (index + 1);
    }
  }

  private static final class Master {
    final MockAM am;
    final Set<ContainerId> open = new HashSet<>();
    final List<ContainerId> toRelease = new ArrayList<>();
    String host;
    int asked;
    int got;
    int rounds;

    Master(MockAM am) {
      this.am = am;
    }
  }

  private final TimedManager rm;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<NodeId, Node> byId = new HashMap<>();
  private final Set<ContainerId> given = new HashSet<>();
  private final Set<ContainerId> ended = new HashSet<>();
  private final AtomicLong losses = new AtomicLong();
  private final AtomicLong illnesses = new AtomicLong();
  private long finished;
  private long early;
  private volatile boolean nodesStop;
  private volatile boolean lossesStop;
  private volatile Throwable problem;

  private Soak(Configuration conf) {
    rm = new TimedManager(conf);
  }

  public static void main(String[] args) throws Exception {
    try {
      new Soak(Figures.configuration(args[0], Path.of(args[2]), QUEUES)).run(args[0], Integer.parseInt(args[1]));
    } catch (Exception | Error failed) {
      // Threads of the ResourceManager would go on.
      failed.printStackTrace();
      System.exit(1);
    }
    System.exit(0);
  }

  private void run(String scheduler, int minutes) throws Exception {
    rm.start();
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    for (int i = 0; i < NODES; i++) {
      Node node = new Node(i);
      register(node);
      byId.put(node.nm.getNodeId(), node);
      nodes.add(node);
    }
    rm.drainEvents();
    List<Master> masters = new ArrayList<>();
    Simulated.masters(rm, MASTERS, i -> "q" + i % QUEUES).forEach(am -> masters.add(new Master(am)));
    List<Thread> threads = List.of(new Thread(guarded(this::report), "nodes"), new Thread(guarded(this::lose), "losses"));
    threads.forEach(Thread::start);
    long end = System.nanoTime() + minutes * 60_000_000_000L;
    long told = System.nanoTime();
    Random random = new Random(1);
    while (System.nanoTime() < end) {
      for (int i = 0; i < masters.size(); i++) {
        Master master = masters.get(i);
        if (isAtRest(master) && master.rounds == ROUNDS) {
          finish(master);
          masters.set(i, new Master(Simulated.masters(rm, 1, any -> "q" + random.nextInt(QUEUES)).get(0)));
        } else {
          call(master, isAtRest(master), random);
        }
      }
      if (System.nanoTime() - told > 60_000_000_000L) {
        told = System.nanoTime();
        tell(scheduler, "so far");
      }
      Simulated.sleep(20);
    }
    lossesStop = true;
    threads.get(1).join();
    long patience = System.nanoTime() + PATIENCE_MS * 1_000_000;
    while (!masters.stream().allMatch(Soak::isAtRest) && System.nanoTime() < patience) {
      for (Master master : masters) {
        call(master, false, random);
      }
      Simulated.sleep(20);
    }
    for (Master master : masters) {
      check(isAtRest(master), master.am.getApplicationAttemptId() + " asked for " + master.asked + ", got " + master.got + ", and waits for the end of "
          + master.open);
    }
    // What ended last is told by one more report.
    Simulated.sleep(3000);
    nodesStop = true;
    threads.get(0).join();
    Simulated.sleep(1000);
    checkBooks();
    tell(scheduler, "nothing lost");
    rm.end();
  }

  private void tell(String scheduler, String how) {
    System.out.printf("%s: %d containers given, %d ended (%d before their master had them), %d nodes lost, %d ill, %d applications finished: %s%n",
        scheduler.substring(scheduler.lastIndexOf('.') + 1), given.size(), ended.size(), early, losses.get(), illnesses.get(), finished, how);
    System.out.flush();
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }

  /** Ends the program where a thread of it fails. */
  private Runnable guarded(Runnable what) {
    return () -> {
      try {
        what.run();
      } catch (RuntimeException | Error failed) {
        problem = failed;
      }
    };
  }

  // ------------------------------------------------------------------------------------------------ masters

  private static boolean isAtRest(Master master) {
    return master.got == master.asked && master.open.isEmpty() && master.toRelease.isEmpty();
  }

  private void call(Master master, boolean asks, Random random) throws Exception {
    check(problem == null, String.valueOf(problem));
    List<ResourceRequest> lines = new ArrayList<>();
    if (asks) {
      int count = 1 + random.nextInt(MOST_ASKED);
      master.rounds++;
      master.asked += count;
      if (master.host != null) {
        lines.add(line(master.host, 0));
        lines.add(line("/default-rack", 0));
        master.host = null;
      }
      if (random.nextInt(3) == 0) {
        master.host = Node.host(random.nextInt(NODES));
        lines.removeIf(line -> line.getResourceName().equals(master.host) || line.getResourceName().equals("/default-rack"));
        lines.add(line(master.host, count));
        lines.add(line("/default-rack", count));
      }
      lines.add(line(ResourceRequest.ANY, count));
    }
    List<ContainerId> releases = new ArrayList<>(master.toRelease);
    master.toRelease.clear();
    AllocateResponse answer = master.am.allocate(AllocateRequest.newInstance(0, 0, lines, releases, null));
    for (Container container : answer.getAllocatedContainers()) {
      ContainerId id = container.getId();
      check(given.add(id), id + " was given twice");
      check(!ended.contains(id), id + " had ended before it was given");
      master.got++;
      master.open.add(id);
      check(master.got <= master.asked, master.am.getApplicationAttemptId() + " got more than it asked for");
      if (random.nextInt(20) == 0) {
        master.toRelease.add(id);
      } else {
        Node node = byId.get(container.getNodeId());
        synchronized (node) {
          node.fresh.add(id);
        }
      }
    }
    // After what is given: a container may end while the answer is being made, and stands in both lists then.
    for (ContainerStatus status : answer.getCompletedContainersStatuses()) {
      ContainerId id = status.getContainerId();
      check(ended.add(id), id + " ended twice");
      early += given.contains(id) ? 0 : 1;
      master.open.remove(id);
    }
  }

  private static ResourceRequest line(String place, int count) {
    return ResourceRequest.newInstance(Priority.newInstance(1), place, Resource.newInstance(1024, 1), count);
  }

  private void finish(Master master) throws Exception {
    master.am.unregisterAppAttempt(FinishApplicationMasterRequest.newInstance(FinalApplicationStatus.SUCCEEDED, "", ""), false);
    while (rm.getRMContext().getRMApps().get(master.am.getApplicationAttemptId().getApplicationId()).getState() != RMAppState.FINISHED) {
      Simulated.sleep(2);
    }
    finished++;
  }

  // ------------------------------------------------------------------------------------------------ nodes

  private void register(Node node) throws Exception {
    node.nm = new MockNM(Node.host(node.index) + ":1", 1024 * ROOM, ROOM, rm.getResourceTrackerService());
    node.nm.registerNode();
  }

  /** All that are up report, a few times a second. */
  private void report() {
    Random random = new Random(2);
    while (!nodesStop) {
      for (Node node : nodes) {
        synchronized (node) {
          if (node.up) {
            report(node, random);
          } else {
            node.fresh.clear();
          }
        }
      }
      Simulated.sleep(200);
    }
  }

  private static void report(Node node, Random random) {
    List<ContainerStatus> statuses = new ArrayList<>();
    for (Iterator<Map.Entry<ContainerId, Integer>> each = node.running.entrySet().iterator(); each.hasNext();) {
      Map.Entry<ContainerId, Integer> one = each.next();
      one.setValue(one.getValue() - 1);
      if (one.getValue() <= 0) {
        statuses.add(Simulated.status(one.getKey(), ContainerState.COMPLETE));
        each.remove();
      }
    }
    for (ContainerId id : node.fresh) {
      statuses.add(Simulated.status(id, ContainerState.RUNNING));
      node.running.put(id, 1 + random.nextInt(4));
    }
    node.fresh.clear();
    try {
      for (ContainerId id : node.nm.nodeHeartbeat(Collections.singletonMap(null, statuses), node.well).getContainersToCleanup()) {
        node.running.replace(id, 0);
      }
    } catch (Exception refused) {
      throw new IllegalStateException(refused);
    }
  }

  /** Every while a node is lost, or falls ill; in the end all are there and well. */
  private void lose() {
    Random random = new Random(3);
    Map<Node, Long> comesAgain = new HashMap<>();
    while (!lossesStop || !comesAgain.isEmpty()) {
      Node node = nodes.get(random.nextInt(NODES));
      synchronized (node) {
        if (!lossesStop && node.up && node.well) {
          comesAgain.put(node, System.nanoTime() + (500 + random.nextInt(5000)) * 1_000_000L);
          if (random.nextBoolean()) {
            node.well = false;
            illnesses.incrementAndGet();
          } else {
            node.up = false;
            node.running.clear();
            node.fresh.clear();
            rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeEvent(node.nm.getNodeId(), RMNodeEventType.EXPIRE));
            losses.incrementAndGet();
          }
        }
      }
      for (Iterator<Map.Entry<Node, Long>> each = comesAgain.entrySet().iterator(); each.hasNext();) {
        Map.Entry<Node, Long> one = each.next();
        if (System.nanoTime() > one.getValue()) {
          comeAgain(one.getKey());
          each.remove();
        }
      }
      Simulated.sleep(LOSS_EVERY_MS);
    }
  }

  private void comeAgain(Node node) {
    synchronized (node) {
      try {
        if (!node.up) {
          register(node);
        }
      } catch (Exception refused) {
        throw new IllegalStateException(refused);
      }
      node.up = true;
      node.well = true;
    }
  }

  // ------------------------------------------------------------------------------------------------ the books

  private void checkBooks() throws IOException {
    AbstractYarnScheduler<?, ?> scheduler = (AbstractYarnScheduler<?, ?>) rm.getResourceScheduler();
    check(scheduler.getNumClusterNodes() == NODES, scheduler.getNumClusterNodes() + " nodes");
    for (Node node : nodes) {
      SchedulerNode books = scheduler.getSchedulerNode(node.nm.getNodeId());
      check(books.getNumContainers() == 0 && books.getAllocatedResource().equals(Resource.newInstance(0, 0)),
          books.getNodeID() + " has " + books.getAllocatedResource());
      check(books.getReservedContainer() == null, books.getNodeID() + " is reserved");
    }
    scheduler.getSchedulerApplications().forEach((id, application) -> {
      if (application.getCurrentAppAttempt() != null) {
        check(application.getCurrentAppAttempt().getLiveContainers().isEmpty(), id + " has live containers");
      }
    });
    check(scheduler.getSchedulerApplications().size() == MASTERS, scheduler.getSchedulerApplications().size() + " applications");
    QueueMetrics root = scheduler.getRootQueueMetrics();
    check(root.getAllocatedContainers() == 0 && root.getAllocatedMB() == 0, root.getAllocatedContainers() + " containers are allocated");
    check(root.getPendingContainers() == 0, root.getPendingContainers() + " containers are pending");
    check(root.getReservedContainers() == 0, root.getReservedContainers() + " containers are reserved");
    check(root.getAvailableMB() == NODES * ROOM * 1024L, root.getAvailableMB() + " MB are available");
    float used = scheduler.getQueueInfo("root", false, false).getCurrentCapacity();
    check(used == 0, "the scheduler says that " + used + " of the root queue is used");
  }
}

package rm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceBlacklistRequest;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;

/** More of it than is usual: a node that falls silent, a queue that goes with work in it, hundreds of applications, nonsense. */
final class Extremes {
  private static final int APPLICATIONS = 300;
  /** So many of them have a master's container, which ends at once. */
  private static final int WITH_MASTER = 40;

  static void register() {
    Main.check("node-silent", 150, Extremes::silent);
    Main.check("queue-deleted", 90, Extremes::queueDeleted);
    Main.check("three-hundred", 240, Extremes::threeHundred);
    Main.check("nonsense", 90, Extremes::nonsense);
  }

  /** A node says nothing any more, without a word of farewell; it is given up, and comes back. */
  private static void silent(Cluster cluster) throws Exception {
    // Its containers outlive it, and it does not say goodbye.
    Cluster.Node node = cluster.addNode(true);
    int all = cluster.nodes.size();
    try (Master master = new Master(cluster, "a")) {
      Wait.until(30, "the node to register", () -> cluster.running() == all);
      List<Container> there = master.run(2, 256, node.id(), "sleep 600");
      List<Container> elsewhere = master.run(1, 256, cluster.node(0), "sleep 600");
      master.awaitRunning(there);
      node.stop();
      Wait.is(all, cluster.running(), "nodes right after the silence began");
      master.until(60, "the news of the lost containers", m -> m.ended.size() == 2);
      there.forEach(c -> Wait.is(ContainerExitStatus.ABORTED, master.ended.get(c.getId()).getExitStatus(), "exit status"));
      Wait.that(cluster.scheduler().getNodeReport(node.id()) == null, "the scheduler still knows the node");
      Wait.is((long) (all - 1) * Cluster.NODE_MB, cluster.scheduler().getClusterResource().getMemorySize(), "cluster memory");
      master.uses(1, 256);
      node.start();
      Wait.until(30, "the node to be back", () -> cluster.running() == all);
      for (Container container : there) {
        Wait.until(30, container.getId() + " to be stopped", () -> Processes.of(container.getId().toString(), false).isEmpty());
      }
      master.awaitRunning(master.run(2, 256, node.id(), "sleep 600"));
      master.uses(3, 768);
      Wait.is(false, master.ended.containsKey(elsewhere.get(0).getId()), "end of the container on another node");
      master.finish();
      cluster.awaitClean();
    } finally {
      cluster.removeNode(node);
    }
  }

  /** A queue is taken out of the file while an application runs in it and asks for more than there is. */
  private static void queueDeleted(Cluster cluster) throws Exception {
    Queues.write(cluster.setup, true);
    Wait.is(0, Admin.refreshQueues(cluster), "rmadmin -refreshQueues");
    try (Master master = new Master(cluster, "fresh")) {
      List<Container> running = master.run(3, 256, null, "sleep 600");
      master.awaitRunning(running);
      master.ask(100, 1024, null);
      master.during(1000);
      Queues.write(cluster.setup, false);
      // The CapacityScheduler refuses it, and the FairScheduler keeps the queue until it is empty.
      int code = Admin.refreshQueues(cluster);
      Wait.is(cluster.setup.capacity(), code != 0, "refusal of a file without a queue that is used");
      master.during(1500);
      for (Container container : running) {
        Wait.that(!Processes.of(container.getId().toString(), false).isEmpty(), container.getId() + " did not outlive its queue");
      }
      master.withdraw();
      master.finish();
    }
  }

  /** Many at once: most wait for a master that never comes and are killed, the others have one that ends at once. */
  private static void threeHundred(Cluster cluster) throws Exception {
    ConcurrentLinkedQueue<ApplicationId> waiting = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<ApplicationId> all = new ConcurrentLinkedQueue<>();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> calls = new ArrayList<>();
      String[] queues = {"a", "b", "default"};
      for (int i = 0; i < APPLICATIONS; i++) {
        int number = i;
        calls.add(threads.submit(() -> {
          ApplicationSubmissionContext context = cluster.client.createApplication().getApplicationSubmissionContext();
          context.setApplicationName("one of many");
          context.setQueue(queues[number % queues.length]);
          context.setMaxAppAttempts(1);
          context.setResource(Resource.newInstance(128, 1));
          boolean unmanaged = number >= WITH_MASTER;
          context.setUnmanagedAM(unmanaged);
          context.setAMContainerSpec(ContainerLaunchContext.newInstance(Collections.emptyMap(), Collections.emptyMap(),
              List.of("exec true"), null, null, null));
          cluster.client.submitApplication(context);
          all.add(context.getApplicationId());
          if (unmanaged) {
            waiting.add(context.getApplicationId());
          }
          return null;
        }));
      }
      for (Future<?> call : calls) {
        call.get();
      }
      for (ApplicationId id : waiting) {
        Wait.until(60, id + " to be accepted",
            () -> cluster.client.getApplicationReport(id).getYarnApplicationState() == YarnApplicationState.ACCEPTED);
      }
      Wait.that(cluster.scheduler().getAppsInQueue("root").size() >= waiting.size(), "applications in root: "
          + cluster.scheduler().getAppsInQueue("root").size());
      // The cluster is still there for others.
      try (Master master = new Master(cluster, "a")) {
        master.run(3, 256, null, "sleep 1");
        master.until(30, "all to end", m -> m.ended.size() == 3);
        master.finish();
      }
      calls.clear();
      for (ApplicationId id : waiting) {
        calls.add(threads.submit(() -> {
          cluster.client.killApplication(id);
          return null;
        }));
      }
      for (Future<?> call : calls) {
        call.get();
      }
      for (ApplicationId id : all) {
        YarnApplicationState expected = waiting.contains(id) ? YarnApplicationState.KILLED : YarnApplicationState.FAILED;
        Wait.until(120, id + " to be " + expected,
            () -> cluster.client.getApplicationReport(id).getYarnApplicationState() == expected);
      }
    } finally {
      threads.shutdownNow();
    }
    Wait.is(APPLICATIONS, all.size(), "applications");
  }

  private static AllocateRequest asking(ResourceRequest... asks) {
    return AllocateRequest.newInstance(0, 0, List.of(asks), null, null);
  }

  private static ResourceRequest line(int priority, String place, long mb, int vcores, int count) {
    return ResourceRequest.newInstance(Priority.newInstance(priority), place, Resource.newInstance(mb, vcores), count);
  }

  /** A master that sends nonsense is refused or hears nothing, and nobody else notices. */
  private static void nonsense(Cluster cluster) throws Exception {
    try (Master wild = new Master(cluster, "a"); Master other = new Master(cluster, "b")) {
      List<Container> running = other.run(2, 256, null, "sleep 600");
      other.awaitRunning(running);
      ContainerId ofOther = running.get(0).getId();
      ContainerId ofNobody = ContainerId.newContainerId(ApplicationAttemptId.newInstance(wild.id, 1), 999_999_999_999L);
      String any = ResourceRequest.ANY;
      List<AllocateRequest> refused = List.of(
          asking(line(1, any, -1024, 1, 1)), asking(line(1, any, 1024, -1, 1)), asking(line(1, any, 1L << 40, 1, 1)),
          asking(line(1, any, 128, Integer.MAX_VALUE, 1)),
          AllocateRequest.newInstance(0, 0, null, List.of(ofOther), null),
          AllocateRequest.newInstance(0, 0, null, null, ResourceBlacklistRequest.newInstance(List.of(any), List.of())));
      for (AllocateRequest request : refused) {
        Exception why = null;
        try {
          wild.send(request);
        } catch (Exception e) {
          why = e;
        }
        Wait.that(why != null, "not refused: " + request);
      }
      List<AllocateRequest> borne = List.of(
          // No negative count: Hadoop's own pending metrics stay below zero after one.
          asking(line(Integer.MIN_VALUE, any, 256, 1, 0), line(Integer.MAX_VALUE, any, 256, 1, 0)),
          asking(line(2, "no-such-host", 256, 1, 3), line(2, "/no-such-rack", 256, 1, 3)),
          asking(line(3, any, 256, 1, 2), line(3, any, 512, 1, 1), line(3, any, 128, 1, 0)),
          asking(line(4, any, 0, 0, 0)),
          AllocateRequest.newInstance(0, 0, null, List.of(ofNobody, ofNobody), null),
          AllocateRequest.newInstance(0, Float.NaN, null, null,
              ResourceBlacklistRequest.newInstance(List.of("no-such-host", "", "/no-such-rack"), List.of("never-listed"))));
      for (AllocateRequest request : borne) {
        wild.send(request);
      }
      AllocateResponse last = null;
      for (int i = 0; i < 20; i++) {
        last = wild.send(asking());
        Wait.is(0, last.getAllocatedContainers().size(), "containers for nonsense");
        Thread.sleep(50);
      }
      // What makes sense is served after all.
      wild.send(asking(line(5, any, 256, 1, 1)));
      int[] got = {0};
      Wait.until(30, "a container for what makes sense", () -> {
        got[0] += wild.send(asking()).getAllocatedContainers().size();
        return got[0] == 1;
      });
      other.during(500);
      Wait.is(2, other.live().size(), "containers of the other application");
      other.uses(2, 512);
      cluster.client.killApplication(wild.id);
      other.finish();
    }
  }

  private Extremes() {}
}

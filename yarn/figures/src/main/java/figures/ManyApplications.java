package figures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
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
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmissionData;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmitter;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.slf4j.event.Level;

/**
 * {@code ManyApplications CLASS APPLICATIONS FOLDER}: so many applications through one ResourceManager, fifty at a time, each with
 * a master and six containers; after each thousand what the Java heap holds after a collection, and what the process has in memory.
 */
public final class ManyApplications {
  private static final int NODES = 10;
  private static final int QUEUES = 20;
  private static final int AT_A_TIME = 50;
  private static final int EACH = 6;
  private static final int TOLD_EVERY = 1000;
  private static final String[] USERS = {"ann", "bob", "cid", "dan"};

  private final Map<NodeId, List<ContainerStatus>> toReport = new HashMap<>();
  private final List<MockNM> nodes = new ArrayList<>();
  private final MockRM rm;
  private long containers;

  private ManyApplications(Configuration conf) {
    rm = new MockRM(conf, null, false, false);
    rm.disableDrainEventsImplicitly();
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = Figures.configuration(args[0], Path.of(args[2]), QUEUES);
    // What has finished is forgotten early, so that the first thousand are like the last.
    conf.setInt(YarnConfiguration.RM_MAX_COMPLETED_APPLICATIONS, 100);
    new ManyApplications(conf).run(args[0], Integer.parseInt(args[1]));
    System.exit(0);
  }

  private void run(String scheduler, int count) throws Exception {
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    rm.start();
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    for (int i = 1; i <= NODES; i++) {
      MockNM node = new MockNM("127.1.0." + i + ":1", 65536, 64, rm.getResourceTrackerService());
      node.registerNode();
      nodes.add(node);
      toReport.put(node.getNodeId(), new ArrayList<>());
    }
    rm.drainEvents();
    String name = scheduler.substring(scheduler.lastIndexOf('.') + 1);
    for (int done = 0; done < count; done += AT_A_TIME) {
      batch(done);
      if ((done + AT_A_TIME) % TOLD_EVERY == 0) {
        System.out.printf("%-28s %6d applications, %7d containers: %4d MB of heap, %4d MB of the process%n", name, done + AT_A_TIME,
            containers, heap() >> 20, resident() >> 20);
        System.out.flush();
      }
    }
    rm.stop();
  }

  private void batch(int first) throws Exception {
    List<RMApp> apps = new ArrayList<>();
    for (int i = first; i < first + AT_A_TIME; i++) {
      String user = USERS[i % USERS.length];
      String queue = "q" + i % QUEUES;
      apps.add(UserGroupInformation.createRemoteUser(user).doAs((java.security.PrivilegedExceptionAction<RMApp>) () ->
          MockRMAppSubmitter.submit(rm, MockRMAppSubmissionData.Builder.createWithMemory(1024, rm).withQueue(queue).withUser(user)
              .withWaitForAppAcceptedState(false).build())));
    }
    while (!apps.stream().allMatch(app -> app.getCurrentAppAttempt() != null
        && app.getCurrentAppAttempt().getState() == RMAppAttemptState.ALLOCATED)) {
      report();
    }
    Map<RMApp, MockAM> masters = new HashMap<>();
    for (RMApp app : apps) {
      MockAM master = rm.sendAMLaunched(app.getCurrentAppAttempt().getAppAttemptId());
      rm.drainEvents();
      master.registerAppAttempt(false);
      masters.put(app, master);
      call(master, List.of(ResourceRequest.newInstance(Priority.newInstance(1), ResourceRequest.ANY, Resource.newInstance(1024, 1), EACH)));
    }
    Map<RMApp, Integer> got = new HashMap<>();
    while (apps.stream().anyMatch(app -> got.getOrDefault(app, 0) < EACH)) {
      report();
      for (RMApp app : apps) {
        got.merge(app, call(masters.get(app), Collections.emptyList()), Integer::sum);
      }
    }
    // What runs is told once, and that it has ended after.
    report();
    for (RMApp app : apps) {
      masters.get(app).unregisterAppAttempt(FinishApplicationMasterRequest.newInstance(FinalApplicationStatus.SUCCEEDED, "", ""), false);
      Container master = app.getCurrentAppAttempt().getMasterContainer();
      toReport.get(master.getNodeId()).add(Simulated.status(master.getId(), ContainerState.COMPLETE));
    }
    while (!apps.stream().allMatch(app -> app.getState() == RMAppState.FINISHED)) {
      report();
    }
    // Nodes are told what to stop, and say that it has.
    report();
    report();
  }

  private int call(MockAM master, List<ResourceRequest> asks) throws Exception {
    List<Container> got = master.allocate(AllocateRequest.newInstance(0, 0, asks, Collections.emptyList(), null)).getAllocatedContainers();
    got.forEach(container -> toReport.get(container.getNodeId()).add(Simulated.status(container.getId(), ContainerState.RUNNING)));
    containers += got.size();
    return got.size();
  }

  private void report() throws Exception {
    for (MockNM node : nodes) {
      List<ContainerStatus> statuses = toReport.put(node.getNodeId(), new ArrayList<>());
      for (ContainerId id : node.nodeHeartbeat(Collections.singletonMap(null, statuses), true).getContainersToCleanup()) {
        toReport.get(node.getNodeId()).add(Simulated.status(id, ContainerState.COMPLETE));
      }
    }
    rm.drainEvents();
  }

  private static long heap() {
    System.gc();
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static long resident() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    return 0;
  }
}

package lockstep;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.KillApplicationRequest;
import org.apache.hadoop.yarn.api.protocolrecords.MoveApplicationAcrossQueuesRequest;
import org.apache.hadoop.yarn.api.protocolrecords.SubmitApplicationRequest;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceBlacklistRequest;
import org.apache.hadoop.yarn.api.records.ResourceOption;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatResponse;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeResourceUpdateEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerAppReport;
import org.apache.hadoop.yarn.server.utils.BuilderUtils;
import org.apache.hadoop.yarn.util.Records;
import org.slf4j.event.Level;

/** One ResourceManager, its nodes and masters, driven by dice; after each step what the scheduler has by then, as lines. */
final class Session {
  private static final int STEPS = 400;
  private static final String[] USERS = {"ann", "bob", "cid"};

  private final Plan plan;
  private final Random dice;
  private final List<String> lines = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final TreeMap<ApplicationId, Master> masters = new TreeMap<>();
  private final TreeSet<String> before = new TreeSet<>();
  /** The newest of each application. */
  private TreeSet<ApplicationAttemptId> attempts = new TreeSet<>();
  private MockRM rm;
  private int hosts;
  long granted;

  /** A NodeManager: what runs on it, and what it is to report as ended. */
  private static final class Node {
    MockNM nm;
    final TreeSet<ContainerId> running = new TreeSet<>();
    final TreeMap<ContainerId, Integer> ending = new TreeMap<>();
  }

  /** The master of an application, by its newest attempt. */
  private static final class Master {
    MockAM am;
    ApplicationAttemptId attempt;
    final TreeMap<ContainerId, NodeId> held = new TreeMap<>();
    final TreeSet<ContainerId> toLaunch = new TreeSet<>();
    /** The news of their end comes with this call or the next, as the ResourceManager's threads will have it. */
    final TreeSet<ContainerId> released = new TreeSet<>();
    boolean unregistered;
  }

  Session(Plan plan, long seed) {
    this.plan = plan;
    this.dice = new Random(seed);
  }

  List<String> run(String scheduler) throws Exception {
    // With node labels off, as they are by default: a node that is resized loses its reservation with them.
    rm = new MockRM(plan.of(scheduler), null, false, false);
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    rm.start();
    GenericTestUtils.setRootLogLevel(Level.ERROR);
    try {
      for (int i = 0; i < plan.nodes; i++) {
        addNode();
      }
      update();
      for (int i = 0; i < STEPS; i++) {
        step();
        rm.drainEvents();
        launchMasters();
        show();
      }
    } finally {
      rm.stop();
    }
    return lines;
  }

  private void step() throws Exception {
    int face = dice.nextInt(100);
    if (face < 42) {
      heartbeat(nodes.get(dice.nextInt(nodes.size())));
    } else if (face < 47) {
      for (Node node : new ArrayList<>(nodes)) {
        heartbeat(node);
      }
    } else if (face < 57) {
      update();
    } else if (face < 65) {
      submit();
    } else if (face < 84) {
      call();
    } else if (face < 90) {
      end();
    } else if (face < 92) {
      resize();
    } else if (face < 94) {
      lose();
    } else if (face < 95) {
      addNode();
    } else if (face < 97) {
      finish();
    } else if (face < 98) {
      kill();
    } else if (face < 99) {
      move();
    } else {
      failMaster();
    }
  }

  // ------------------------------------------------------------------------------------------------ nodes

  private void addNode() throws Exception {
    Node node = new Node();
    int memory = dice.nextInt(4) == 0 ? 1024 * (2 + dice.nextInt(8)) : plan.memoryOfNode;
    node.nm = new MockNM("h" + ++hosts + ":1", memory, 4 + dice.nextInt(9), rm.getResourceTrackerService());
    node.nm.registerNode();
    nodes.add(node);
    say("node " + node.nm.getNodeId() + " of " + memory);
    rm.drainEvents();
  }

  private void heartbeat(Node node) throws Exception {
    List<ContainerStatus> statuses = new ArrayList<>();
    for (Master master : masters.values()) {
      for (ContainerId id : new ArrayList<>(master.toLaunch)) {
        if (node.nm.getNodeId().equals(master.held.get(id))) {
          master.toLaunch.remove(id);
          node.running.add(id);
        }
      }
    }
    node.running.forEach(id -> statuses.add(status(id, ContainerState.RUNNING, -1000)));
    node.ending.forEach((id, exit) -> statuses.add(status(id, ContainerState.COMPLETE, exit)));
    say("heartbeat of " + node.nm.getNodeId() + ": " + node.running.size() + " run, " + node.ending.keySet() + " end");
    node.ending.clear();
    NodeHeartbeatResponse answer = node.nm.nodeHeartbeat(Collections.singletonMap(null, statuses), true);
    rm.drainEvents();
    waitAfterAttempts();
    answer.getContainersToCleanup().forEach(id -> stop(node, id));
    for (ContainerId id : new ArrayList<>(node.running)) {
      if (answer.getApplicationsToCleanup().contains(id.getApplicationAttemptId().getApplicationId())) {
        stop(node, id);
      }
    }
  }

  private static void stop(Node node, ContainerId id) {
    if (node.running.remove(id)) {
      node.ending.put(id, -105);
    }
  }

  private static ContainerStatus status(ContainerId id, ContainerState state, int exit) {
    return BuilderUtils.newContainerStatus(id, state, "", exit, Resource.newInstance(0, 0));
  }

  /** Some containers of a node end by themselves. */
  private void end() {
    Node node = nodes.get(dice.nextInt(nodes.size()));
    for (ContainerId id : new ArrayList<>(node.running)) {
      boolean isMaster = masters.values().stream().anyMatch(master -> master.attempt != null && id.equals(masterContainer(master)));
      if (!isMaster && dice.nextInt(2) == 0) {
        node.running.remove(id);
        node.ending.put(id, 0);
      }
    }
    // One may end before its node has ever said that it runs.
    for (Master master : masters.values()) {
      for (ContainerId id : new ArrayList<>(master.toLaunch)) {
        if (dice.nextInt(4) == 0 && node.nm.getNodeId().equals(master.held.get(id))) {
          master.toLaunch.remove(id);
          node.ending.put(id, 0);
        }
      }
    }
    say("some end on " + node.nm.getNodeId());
  }

  private void resize() throws Exception {
    Node node = nodes.get(dice.nextInt(nodes.size()));
    int memory = 1024 * (1 + dice.nextInt(16));
    say(node.nm.getNodeId() + " has " + memory);
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeResourceUpdateEvent(node.nm.getNodeId(),
        ResourceOption.newInstance(Resource.newInstance(memory, 4 + dice.nextInt(9)), -1)));
    rm.drainEvents();
  }

  private void lose() throws Exception {
    if (nodes.size() < 2) {
      return;
    }
    Node node = nodes.get(dice.nextInt(nodes.size()));
    // Of several masters that die in one event the next attempts begin in a hash order, which goes by the ResourceManager's start time.
    long dying = masters.values().stream().filter(master -> master.attempt != null && masterContainer(master) != null
        && node.nm.getNodeId().equals(attemptOf(master.attempt.getApplicationId()).getMasterContainer().getNodeId())
        && isLive(master.attempt.getApplicationId())).count();
    if (dying > 1) {
      return;
    }
    nodes.remove(node);
    say("lost " + node.nm.getNodeId());
    rm.sendNodeEvent(node.nm, RMNodeEventType.EXPIRE);
    rm.drainEvents();
    waitAfterAttempts();
  }

  // ------------------------------------------------------------------------------------------------ applications

  private void submit() throws Exception {
    ApplicationId id = rm.getClientRMService().getNewApplication(
        Records.newRecord(org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationRequest.class)).getApplicationId();
    ApplicationSubmissionContext context = Records.newRecord(ApplicationSubmissionContext.class);
    context.setApplicationId(id);
    context.setApplicationName("session");
    context.setQueue(plan.leaves.get(dice.nextInt(plan.leaves.size())));
    context.setPriority(Priority.newInstance(plan.capacity ? dice.nextInt(3) : 0));
    context.setMaxAppAttempts(1 + dice.nextInt(2));
    context.setKeepContainersAcrossApplicationAttempts(plan.keeps && dice.nextInt(3) == 0);
    context.setResource(Resource.newInstance(512 * (1 + dice.nextInt(3)), 1));
    context.setAMContainerSpec(Records.newRecord(ContainerLaunchContext.class));
    String user = USERS[dice.nextInt(USERS.length)];
    say(id + " of " + user + " to " + context.getQueue());
    SubmitApplicationRequest request = Records.newRecord(SubmitApplicationRequest.class);
    request.setApplicationSubmissionContext(context);
    as(user, () -> rm.getClientRMService().submitApplication(request));
    masters.put(id, new Master());
    rm.drainEvents();
    waitAfterAttempts();
  }

  /** After attempts that have begun, until the next one begins later: start times are in milliseconds, and ties between them go by name. */
  private void waitAfterAttempts() throws Exception {
    TreeSet<ApplicationAttemptId> now = new TreeSet<>();
    masters.keySet().stream().map(this::attemptOf).filter(Objects::nonNull).forEach(attempt -> now.add(attempt.getAppAttemptId()));
    if (!now.equals(attempts)) {
      attempts = now;
      Thread.sleep(2);
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  private void as(String user, Call call) throws Exception {
    try {
      UserGroupInformation.createUserForTesting(user, new String[] {user}).doAs(
          (java.security.PrivilegedExceptionAction<Void>) () -> {
            call.run();
            return null;
          });
    } catch (Exception refused) {
      Throwable why = refused instanceof java.lang.reflect.UndeclaredThrowableException ? refused.getCause() : refused;
      say("refused: " + why.getClass().getSimpleName());
    }
  }

  private RMAppAttempt attemptOf(ApplicationId id) {
    RMApp app = rm.getRMContext().getRMApps().get(id);
    return app == null ? null : app.getCurrentAppAttempt();
  }

  private boolean isLive(ApplicationId id) {
    RMAppState state = rm.getRMContext().getRMApps().get(id).getState();
    return state != RMAppState.FINISHED && state != RMAppState.FAILED && state != RMAppState.KILLED;
  }

  private ContainerId masterContainer(Master master) {
    RMAppAttempt attempt = attemptOf(master.attempt.getApplicationId());
    return attempt == null || attempt.getMasterContainer() == null ? null : attempt.getMasterContainer().getId();
  }

  /** Masters whose container is there are started, and register. */
  private void launchMasters() throws Exception {
    for (Map.Entry<ApplicationId, Master> entry : masters.entrySet()) {
      RMAppAttempt attempt = attemptOf(entry.getKey());
      Master master = entry.getValue();
      if (attempt == null || attempt.getState() != RMAppAttemptState.ALLOCATED || attempt.getAppAttemptId().equals(master.attempt)) {
        continue;
      }
      master.attempt = attempt.getAppAttemptId();
      master.am = rm.sendAMLaunched(master.attempt);
      rm.drainEvents();
      master.am.registerAppAttempt(false);
      rm.drainEvents();
      master.unregistered = false;
      Container container = attempt.getMasterContainer();
      master.held.put(container.getId(), container.getNodeId());
      master.toLaunch.add(container.getId());
      Thread.sleep(2);
    }
  }

  private List<Master> running() {
    List<Master> running = new ArrayList<>();
    for (Master master : masters.values()) {
      if (master.attempt == null || master.unregistered) {
        continue;
      }
      RMAppAttempt attempt = attemptOf(master.attempt.getApplicationId());
      if (attempt.getAppAttemptId().equals(master.attempt) && attempt.getState() == RMAppAttemptState.RUNNING) {
        running.add(master);
      }
    }
    return running;
  }

  private Master anyRunning() {
    List<Master> running = running();
    return running.isEmpty() ? null : running.get(dice.nextInt(running.size()));
  }

  /** A master calls: asks anew, gives back, lists nodes, takes what is there. */
  private void call() throws Exception {
    Master master = anyRunning();
    if (master == null) {
      return;
    }
    List<ResourceRequest> asks = new ArrayList<>();
    if (dice.nextInt(3) > 0) {
      ask(asks);
    }
    List<ContainerId> releases = new ArrayList<>();
    for (ContainerId id : master.held.keySet()) {
      if (id.getApplicationAttemptId().equals(master.attempt) && !id.equals(masterContainer(master)) && dice.nextInt(20) == 0) {
        releases.add(id);
      }
    }
    ResourceBlacklistRequest list = null;
    if (dice.nextInt(12) == 0) {
      List<String> host = Collections.singletonList("h" + (1 + dice.nextInt(hosts)));
      list = dice.nextBoolean() ? ResourceBlacklistRequest.newInstance(host, Collections.emptyList())
          : ResourceBlacklistRequest.newInstance(Collections.emptyList(), host);
    }
    say(master.attempt + " asks " + text(asks) + " releases " + releases + " lists " + (list == null ? "" : list.getBlacklistAdditions()));
    AllocateResponse answer;
    try {
      master.released.addAll(releases);
      answer = master.am.allocate(AllocateRequest.newInstance(0, 0f, asks, releases, list));
    } catch (Exception refused) {
      say("refused: " + refused.getClass().getSimpleName());
      return;
    }
    rm.drainEvents();
    releases.forEach(master.held::remove);
    releases.forEach(master.toLaunch::remove);
    List<Container> got = new ArrayList<>(answer.getAllocatedContainers());
    got.sort((a, b) -> a.getId().compareTo(b.getId()));
    for (Container container : got) {
      master.held.put(container.getId(), container.getNodeId());
      if (dice.nextInt(10) > 0) {
        master.toLaunch.add(container.getId());
      }
    }
    List<String> ended = new ArrayList<>();
    for (ContainerStatus status : answer.getCompletedContainersStatuses()) {
      if (!master.released.contains(status.getContainerId())) {
        ended.add(status.getContainerId() + "=" + status.getExitStatus());
      }
      master.held.remove(status.getContainerId());
      master.toLaunch.remove(status.getContainerId());
    }
    Collections.sort(ended);
    List<String> ids = new ArrayList<>();
    got.forEach(container -> ids.add(container.getId() + "@" + container.getNodeId().getHost()));
    say("  gets " + ids + " ended " + ended + " headroom " + answer.getAvailableResources() + " of " + answer.getNumClusterNodes());
  }

  private static String text(List<ResourceRequest> asks) {
    StringBuilder text = new StringBuilder();
    for (ResourceRequest ask : asks) {
      text.append('[').append(ask.getPriority().getPriority()).append(' ').append(ask.getResourceName()).append(' ')
          .append(ask.getNumContainers()).append('x').append(ask.getCapability().getMemorySize()).append(']');
    }
    return text.toString();
  }

  private void ask(List<ResourceRequest> asks) {
    Priority priority = Priority.newInstance(1 + dice.nextInt(3));
    Resource size = Resource.newInstance(256 * (1 + dice.nextInt(12)), 1 + dice.nextInt(2));
    boolean relaxed = dice.nextInt(4) > 0;
    int total = 0;
    Map<String, Integer> racks = new HashMap<>();
    if (dice.nextBoolean()) {
      for (int i = 0; i < 1 + dice.nextInt(2); i++) {
        String host = "h" + (1 + dice.nextInt(hosts));
        int count = 1 + dice.nextInt(3);
        if (asks.stream().noneMatch(ask -> ask.getResourceName().equals(host))) {
          asks.add(ResourceRequest.newInstance(priority, host, size, count, true));
          racks.merge(Racks.of(host), count, Integer::sum);
          total += count;
        }
      }
      int[] sum = {0};
      new TreeMap<>(racks).forEach((rack, count) -> {
        asks.add(ResourceRequest.newInstance(priority, rack, size, count, relaxed));
        sum[0] += count;
      });
    } else {
      total = dice.nextInt(10);
    }
    asks.add(ResourceRequest.newInstance(priority, ResourceRequest.ANY, size, total, racks.isEmpty() || relaxed));
  }

  private void finish() throws Exception {
    Master master = anyRunning();
    if (master == null) {
      return;
    }
    say(master.attempt + " is done");
    master.am.unregisterAppAttempt(FinishApplicationMasterRequest.newInstance(FinalApplicationStatus.SUCCEEDED, "", ""), false);
    master.unregistered = true;
    rm.drainEvents();
    endMaster(master, 0);
  }

  private void failMaster() {
    Master master = anyRunning();
    if (master != null) {
      say(master.attempt + " fails");
      endMaster(master, 1);
    }
  }

  private void endMaster(Master master, int exit) {
    ContainerId id = masterContainer(master);
    NodeId at = master.held.remove(id);
    master.toLaunch.remove(id);
    for (Node node : nodes) {
      if (node.nm.getNodeId().equals(at)) {
        node.running.remove(id);
        node.ending.put(id, exit);
      }
    }
  }

  private void kill() throws Exception {
    Master master = anyRunning();
    if (master == null) {
      return;
    }
    ApplicationId id = master.attempt.getApplicationId();
    say(id + " is killed");
    as(rm.getRMContext().getRMApps().get(id).getUser(),
        () -> rm.getClientRMService().forceKillApplication(KillApplicationRequest.newInstance(id)));
    rm.drainEvents();
  }

  private void move() throws Exception {
    Master master = anyRunning();
    if (master == null) {
      return;
    }
    ApplicationId id = master.attempt.getApplicationId();
    String to = plan.leaves.get(dice.nextInt(plan.leaves.size()));
    say(id + " moves to " + to);
    as(rm.getRMContext().getRMApps().get(id).getUser(), () -> rm.getClientRMService()
        .moveApplicationAcrossQueues(MoveApplicationAcrossQueuesRequest.newInstance(id, to)));
    rm.drainEvents();
  }

  // ------------------------------------------------------------------------------------------------ what is shown

  private AbstractYarnScheduler<?, ?> scheduler() {
    return (AbstractYarnScheduler<?, ?>) rm.getResourceScheduler();
  }

  private void update() {
    say("update");
    scheduler().update();
  }

  private void say(String line) {
    // Each ResourceManager has its own start time in its ids.
    lines.add(line.replace(Long.toString(org.apache.hadoop.yarn.server.resourcemanager.ResourceManager.getClusterTimeStamp()), "T"));
  }

  /** What containers and reservations have come and gone, and what each node has in use. */
  private void show() {
    TreeSet<String> now = new TreeSet<>();
    for (ApplicationId id : masters.keySet()) {
      RMAppAttempt attempt = attemptOf(id);
      SchedulerAppReport report = attempt == null ? null : scheduler().getSchedulerAppInfo(attempt.getAppAttemptId());
      if (report != null) {
        note(now, "", report.getLiveContainers());
        note(now, "reserved ", report.getReservedContainers());
      }
      RMApp app = rm.getRMContext().getRMApps().get(id);
      now.add(id + " " + app.getState() + " in " + app.getQueue());
    }
    for (Node node : nodes) {
      now.add(node.nm.getNodeId() + " uses " + scheduler().getNodeReport(node.nm.getNodeId()).getUsedResource());
    }
    for (String line : now) {
      if (!before.contains(line)) {
        say("  + " + line);
        granted += line.startsWith("container") ? 1 : 0;
      }
    }
    for (String line : before) {
      if (!now.contains(line)) {
        say("  - " + line);
      }
    }
    before.clear();
    before.addAll(now);
  }

  private static void note(Collection<String> to, String how, Collection<RMContainer> containers) {
    for (RMContainer container : containers) {
      NodeId node = how.isEmpty() ? container.getAllocatedNode() : container.getReservedNode();
      to.add(how + container.getContainerId() + " at " + node + " of " + container.getContainer().getResource() + " for "
          + container.getContainer().getPriority());
    }
  }
}

package io.evenweave.yarn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.SchedulerInvalidResoureRequestException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.proto.YarnServiceProtos.SchedulerResourceTypes;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractUsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ActiveUsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils.MaxResourceValidationResult;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSOpDurations;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSQueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairSchedulerConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.SchedulerInfo;
import org.apache.hadoop.util.Time;
import org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator;
import org.apache.hadoop.yarn.util.resource.DominantResourceCalculator;
import org.apache.hadoop.yarn.util.resource.ResourceCalculator;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;
import org.apache.hadoop.yarn.util.resource.Resources;
import org.apache.hadoop.thirdparty.com.google.common.util.concurrent.SettableFuture;

/** Decides as Hadoop's FairScheduler, and reads its properties and allocation file: {@code yarn.resourcemanager.scheduler.class}. */
public final class EvenweaveFairScheduler extends EvenweaveScheduler {
  private static final ResourceCalculator CALCULATOR = new DefaultResourceCalculator();
  private static final ResourceCalculator NORMALISING = new DominantResourceCalculator();

  private final FSOpDurations durations = FSOpDurations.getInstance(true);
  private Resource increment;
  private Repeating continuous;
  private AllocationFile file;
  /** Looks at an allocation file that the core cannot read. */
  private Repeating looks;

  public EvenweaveFairScheduler() {
    super(EvenweaveFairScheduler.class.getName());
  }

  @Override
  Core startCore(Configuration from) throws IOException {
    FairSchedulerConfiguration own = new FairSchedulerConfiguration(from);
    increment = own.getIncrementAllocation();
    updateInterval = own.getUpdateInterval();
    if (updateInterval < 0) {
      updateInterval = FairSchedulerConfiguration.DEFAULT_UPDATE_INTERVAL_MS;
    }
    if (own.isContinuousSchedulingEnabled()) {
      continuous = new Repeating("EvenweaveContinuousScheduling", own.getContinuousSchedulingSleepMs(), this::offer);
    }
    if (YarnConfiguration.areNodeLabelsEnabled(from)) {
      LOG.warn("{} is true: as with Hadoop's FairScheduler asks with a label are refused, and nodes with labels are given to all",
          YarnConfiguration.NODE_LABELS_ENABLED);
    }
    file = AllocationFile.of(from);
    if (file.isSent()) {
      looks = new Repeating("EvenweaveAllocationFile", AllocationFile.INTERVAL_MS, () -> sendFile(true));
    }
    return new Core(site(from), file::write, null, containers::take);
  }

  /** The file is looked at before the core's lock is taken: that may take its time. What is found reaches the core in order. */
  private void sendFile(boolean looks) {
    synchronized (file) {
      AllocationFile.Found found = file.look();
      core.tellIfThere(out -> found.write(out.command(Wire.LOOK_AT_FILE).flag(looks)));
    }
  }

  @Override
  void lookAtQueueFile() {
    if (!file.isSent()) {
      core.tellIfThere(out -> out.command(Wire.TICK));
    }
  }

  private void offer() {
    if (mayAllocate()) {
      core.tellIfThere(out -> out.command(Wire.OFFER).number(0));
    }
  }

  @Override
  boolean movesWithinQueue() {
    return false;
  }

  /** Hadoop's FairScheduler knows no labels. */
  @Override
  void nodeComes(EvenweaveNode node) {
    // Nobody is told.
  }

  @Override
  void nodeGoes(NodeId id) {
    // Nobody is told.
  }

  @Override
  void startThreads() {
    if (continuous != null) {
      continuous.start();
    }
    if (looks != null) {
      looks.start();
    }
  }

  @Override
  void stopThreads() throws InterruptedException {
    if (continuous != null) {
      continuous.end(THREAD_JOIN_TIMEOUT_MS);
    }
    if (looks != null) {
      looks.end(THREAD_JOIN_TIMEOUT_MS);
    }
  }

  @Override
  public void reinitialize(Configuration from, RMContext context) throws IOException {
    if (file.isSent()) {
      sendFile(false);
    }
    super.reinitialize(from, context);
    Resource most = ResourceUtils.fetchMaximumAllocationFromConfig(from);
    try {
      core.tell(out -> out.command(Wire.SET_MAXIMUM).resource(most));
      refreshMaximumAllocation(most);
    } catch (CoreRefusal refusal) {
      throw new IOException(refusal.getMessage(), refusal);
    }
  }

  @Override
  Map<String, String> queueProperties(Configuration from) {
    return Collections.emptyMap();
  }

  @Override
  ShownQueue readQueue(Wire in) {
    return ShownQueue.fair(in);
  }

  @Override
  QueueMetrics metricsOf(String queue, EvenweaveQueue parent) {
    return FSQueueMetrics.forQueue(queue, parent, true, getConf());
  }

  /** As in Hadoop the root's metrics have them, until the application is moved. */
  @Override
  AbstractUsersManager usersOf(EvenweaveQueue queue) {
    return new ActiveUsersManager(getRootQueueMetrics());
  }

  @Override
  void measure(ShownQueue queue, QueueMetrics of) {
    FSQueueMetrics metrics = (FSQueueMetrics) of;
    metrics.setFairShare(queue.fairShare);
    metrics.setSteadyFairShare(queue.steadyFairShare);
    metrics.setMinShare(queue.minShare);
    metrics.setMaxShare(queue.maxShare);
    metrics.setMaxApps(queue.maxRunningApps);
    metrics.setMaxAMShare(queue.amLimit);
    metrics.setAMResourceUsage(queue.amUsed);
    metrics.setSchedulingPolicy(queue.policy);
  }

  @Override
  void tookHeartbeat(NodeId node, long millis, long interval) {
    durations.addNodeUpdateDuration(millis);
  }

  @Override
  public void update() {
    long begin = Time.monotonicNow();
    super.update();
    durations.addUpdateThreadRunDuration(Time.monotonicNow() - begin);
  }

  /** None, as in Hadoop's FairScheduler: YARN refuses asks with a label. */
  @Override
  Set<String> accessibleLabels() {
    return Collections.emptySet();
  }

  @Override
  ShownQueue findByShortName(Map<String, ShownQueue> all, String name) {
    return null;
  }

  @Override
  String noQueue(String name) {
    return "queue " + name + " does not exist";
  }

  @Override
  String shownName(ShownQueue queue) {
    return queue.name;
  }

  @Override
  void fillIn(QueueInfo info, ShownQueue queue) {
    long cluster = getClusterResource().getMemorySize();
    long fair = queue.fairShare.getMemorySize();
    info.setSchedulerType("FairScheduler");
    info.setCapacity(cluster == 0 ? 0.0f : (float) fair / cluster);
    info.setCurrentCapacity(fair == 0 ? 0.0f : (float) queue.used.getMemorySize() / fair);
    info.setWeight(queue.weight);
    info.setMinResourceVCore(queue.minShare.getVirtualCores());
    info.setMinResourceMemory(queue.minShare.getMemorySize());
    Resource most = Resources.componentwiseMin(queue.maxShare, getClusterResource());
    info.setMaxResourceVCore(most.getVirtualCores());
    info.setMaxResourceMemory(most.getMemorySize());
    info.setSteadyFairShareVCore(queue.steadyFairShare.getVirtualCores());
    info.setSteadyFairShareMemory(queue.steadyFairShare.getMemorySize());
    info.setMaxRunningApp(queue.maxRunningApps);
    // As in Hadoop: the other way round than its name says.
    info.setPreemptionDisabled(queue.preemptable);
  }

  @Override
  String shareOf(ShownQueue queue) {
    return queue.fairShare.toString();
  }

  @Override
  Function<ShownQueue, SchedulerInfo> answer() {
    return new FairAnswer(getClusterResource(), getMaximumResourceCapability())::of;
  }

  /** Of a queue that is not there yet the nearest above it. */
  @Override
  ShownQueue queueToSubmitTo(UserGroupInformation user, String queue) {
    ShownQueue found = null;
    for (String name = queue; found == null && name != null; name = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : null) {
      found = queues.find(name);
    }
    return found;
  }

  @Override
  String deniedBy(ShownQueue queue) {
    return " denied by ACL for queue " + queue.name;
  }

  @Override
  boolean needsPlacement() {
    return true;
  }

  @Override
  String rejection(ApplicationId id, String user, String queue, CoreRefusal refusal) {
    switch (refusal.kind) {
      case "not-leaf":
        return queue + " is not a leaf queue";
      case "acl":
      case "acl-at-submit":
        return "User " + user + " does not have permission to submit " + id + " to queue " + queue;
      case "zero-max":
        return "Cannot submit application " + id + " to queue " + queue
            + " because it has zero amount of resource for a requested resource! " + refusal.getMessage();
      default:
        return refusal.getMessage();
    }
  }

  @Override
  void lost(ApplicationId id, String queue, CoreRefusal refusal) {
    send(new RMAppEvent(id, RMAppEventType.KILL, "Application " + id + " cannot be recovered: " + refusal.getMessage()));
  }

  @Override
  boolean isNamedAs(String leaf, String asked) {
    return leaf.equals(asked);
  }

  @Override
  void checkAsks(EvenweaveAttempt attempt, List<ResourceRequest> asks) {
    if (asks.isEmpty()) {
      return;
    }
    ShownQueue queue = queues.find(attempt.getQueueName());
    if (queue == null) {
      return;
    }
    List<MaxResourceValidationResult> invalid = new ArrayList<>();
    for (ResourceRequest ask : asks) {
      MaxResourceValidationResult result =
          SchedulerUtils.validateResourceRequestsAgainstQueueMaxResource(ask, queue.maxShare);
      if (!result.isValid()) {
        invalid.add(result);
      }
    }
    if (!invalid.isEmpty()) {
      throw new SchedulerInvalidResoureRequestException(String.format("Resource request is invalid for application %s because "
          + "queue %s has 0 amount of resource for a resource type! Validation result: %s", attempt.getApplicationId(),
          queue.name, invalid));
    }
  }

  @Override
  public ResourceCalculator getResourceCalculator() {
    return CALCULATOR;
  }

  @Override
  public EnumSet<SchedulerResourceTypes> getSchedulingResourceTypes() {
    return EnumSet.of(SchedulerResourceTypes.MEMORY, SchedulerResourceTypes.CPU);
  }

  @Override
  public Resource getNormalizedResource(Resource asked, Resource most) {
    return SchedulerUtils.getNormalizedResource(asked, NORMALISING, minimumAllocation, most, increment);
  }

  @Override
  public Priority updateApplicationPriority(Priority priority, ApplicationId id, SettableFuture<Object> future,
      UserGroupInformation user) throws YarnException {
    throw new YarnException("Update application priority is not supported in Fair Scheduler");
  }
}

package io.evenweave.yarn;

import java.io.IOException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.com.google.common.util.concurrent.SettableFuture;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.nodelabels.CommonNodeLabelsManager;
import org.apache.hadoop.yarn.proto.YarnServiceProtos.SchedulerResourceTypes;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.records.ApplicationStateData;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacitySchedulerConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacitySchedulerMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueInvalidException;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.conf.FileBasedCSConfigurationProvider;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.SchedulerInfo;
import org.apache.hadoop.yarn.util.resource.DominantResourceCalculator;
import org.apache.hadoop.yarn.util.resource.ResourceCalculator;
import org.apache.hadoop.yarn.util.resource.Resources;

/** Decides as Hadoop's CapacityScheduler, by its properties and capacity-scheduler.xml: {@code yarn.resourcemanager.scheduler.class}. */
public final class EvenweaveCapacityScheduler extends EvenweaveScheduler {
  private static final String PREEMPTION = "ProportionalCapacityPreemptionPolicy";

  private final Health health = new Health();
  private ResourceCalculator calculator;
  /** As last read, and as it was taken. */
  private CapacitySchedulerConfiguration read;
  private volatile CapacitySchedulerConfiguration file;
  private boolean failsFast;
  /** Rounds of preemption, in place of Hadoop's monitor, which takes its own scheduler alone. */
  private Repeating monitor;
  private Repeating offers;

  public EvenweaveCapacityScheduler() {
    super(EvenweaveCapacityScheduler.class.getName());
  }

  @Override
  Core startCore(Configuration from) throws IOException {
    refuseLabels(from);
    CapacitySchedulerConfiguration own = load(from);
    file = own;
    calculator = own.getResourceCalculator();
    failsFast = CapacitySchedulerConfiguration.shouldAppFailFast(from);
    String policies = from.get(YarnConfiguration.RM_SCHEDULER_MONITOR_POLICIES, PREEMPTION);
    if (from.getBoolean(YarnConfiguration.RM_SCHEDULER_ENABLE_MONITORS, YarnConfiguration.DEFAULT_RM_SCHEDULER_ENABLE_MONITORS)
        && policies.contains(PREEMPTION)) {
      long pause = own.getLong(CapacitySchedulerConfiguration.PREEMPTION_MONITORING_INTERVAL,
          CapacitySchedulerConfiguration.DEFAULT_PREEMPTION_MONITORING_INTERVAL);
      monitor = new Repeating("EvenweavePreemptionMonitor", Math.max(1, pause), () -> core.tellIfThere(out -> out.command(Wire.PREEMPT)));
    }
    if (own.getScheduleAynschronously()) {
      long pause = own.getLong(CapacitySchedulerConfiguration.SCHEDULE_ASYNCHRONOUSLY_INTERVAL,
          CapacitySchedulerConfiguration.DEFAULT_SCHEDULE_ASYNCHRONOUSLY_INTERVAL);
      offers = new Repeating("EvenweaveAsyncScheduling", Math.max(1, pause), this::offer);
    }
    return new Core(site(from), null, properties(own), containers::take);
  }

  /** With labels Hadoop's CapacityScheduler decides otherwise: rather than give nodes to whom they are not meant for, this one does not start. */
  private static void refuseLabels(Configuration from) throws IOException {
    if (YarnConfiguration.areNodeLabelsEnabled(from)) {
      throw new IOException(YarnConfiguration.NODE_LABELS_ENABLED + " is true, and " + EvenweaveCapacityScheduler.class.getName()
          + " knows no node labels: set it to false, or " + YarnConfiguration.RM_SCHEDULER + " to " + CapacityScheduler.class.getName());
    }
  }

  private void offer() {
    int nodes = getNumClusterNodes();
    if (nodes > 0 && mayAllocate()) {
      int first = ThreadLocalRandom.current().nextInt(nodes);
      core.tellIfThere(out -> out.command(Wire.OFFER).number(first));
    }
  }

  /** capacity-scheduler.xml, from where the ResourceManager has its files. */
  private CapacitySchedulerConfiguration load(Configuration from) throws IOException {
    return new FileBasedCSConfigurationProvider(rmContext).loadConfiguration(new Configuration(from));
  }

  private static Map<String, String> properties(Configuration from) {
    Map<String, String> own = new TreeMap<>();
    String prefix = CapacitySchedulerConfiguration.PREFIX;
    from.getPropsWithPrefix(prefix).forEach((name, value) -> own.put(prefix + name, from.get(prefix + name, value)));
    own.values().removeIf(value -> value == null);
    return own;
  }

  @Override
  boolean movesWithinQueue() {
    return true;
  }

  /** It is read by a refresh alone. */
  @Override
  void lookAtQueueFile() {
    // Nobody looks.
  }

  @Override
  void nodeComes(EvenweaveNode node) {
    RMNodeLabelsManager labels = rmContext.getNodeLabelManager();
    if (labels != null) {
      labels.activateNode(node.getNodeID(), node.getTotalResource());
    }
  }

  @Override
  void nodeGoes(NodeId id) {
    RMNodeLabelsManager labels = rmContext.getNodeLabelManager();
    if (labels != null) {
      labels.deactivateNode(id);
    }
  }

  @Override
  void startThreads() {
    if (monitor != null) {
      monitor.start();
    }
    if (offers != null) {
      offers.start();
    }
  }

  @Override
  void stopThreads() throws InterruptedException {
    if (monitor != null) {
      monitor.end(THREAD_JOIN_TIMEOUT_MS);
    }
    if (offers != null) {
      offers.end(THREAD_JOIN_TIMEOUT_MS);
    }
  }

  @Override
  Map<String, String> queueProperties(Configuration from) throws IOException {
    refuseLabels(from);
    read = load(from);
    return properties(read);
  }

  @Override
  public void reinitialize(Configuration from, RMContext context) throws IOException {
    super.reinitialize(from, context);
    file = read;
  }

  @Override
  ShownQueue readQueue(Wire in) {
    return ShownQueue.capacity(in);
  }

  @Override
  QueueMetrics metricsOf(String queue, EvenweaveQueue parent) {
    CSQueueMetrics metrics = CSQueueMetrics.forQueue(queue, parent, file.getEnableUserMetrics(), getConf());
    // Those of the partition count for the queue above, if that has its own by then: queues are made from the root down.
    metrics.getPartitionQueueMetrics(CommonNodeLabelsManager.NO_LABEL);
    return metrics;
  }

  @Override
  void measure(ShownQueue queue, QueueMetrics of) {
    CSQueueMetrics metrics = (CSQueueMetrics) of;
    Resource cluster = getClusterResource();
    Resource minimum = getMinimumResourceCapability();
    String all = CommonNodeLabelsManager.NO_LABEL;
    metrics.setGuaranteedResources(all, calculator.multiplyAndNormalizeDown(cluster, queue.absoluteCapacity, minimum));
    metrics.setMaxCapacityResources(all, calculator.multiplyAndNormalizeDown(cluster, queue.absoluteMaximumCapacity, minimum));
    metrics.setGuaranteedCapacities(all, queue.capacity, queue.absoluteCapacity);
    metrics.setMaxCapacities(all, queue.maximumCapacity, queue.absoluteMaximumCapacity);
    metrics.setUsedCapacity(all, queue.usedCapacity);
    metrics.setAbsoluteUsedCapacity(all, queue.absoluteUsedCapacity);
    if (queue.parent() != null) {
      Resource left = Resources.greaterThan(calculator, cluster, queue.minShare, queue.used)
          ? Resources.componentwiseMax(Resources.subtract(queue.minShare, queue.used), Resources.none()) : Resources.none();
      metrics.setAvailableResourcesToQueue(all, left);
    }
    if (queue.ofLeaf != null) {
      metrics.setAMResouceLimit(all, queue.ofLeaf.amLimit);
      Fields.of(metrics).gauge("usedAMResourceMB", queue.ofLeaf.amUsed.getMemorySize())
          .gauge("usedAMResourceVCores", queue.ofLeaf.amUsed.getVirtualCores());
    }
  }

  @Override
  void showAvailable() {
    QueueMetrics root = getRootQueueMetrics();
    // What is reserved is not available.
    root.setAvailableResourcesToQueue(CommonNodeLabelsManager.NO_LABEL, Resources.subtract(available(), root.getReservedResources()));
  }

  @Override
  void tookHeartbeat(NodeId node, long millis, long interval) {
    CapacitySchedulerMetrics metrics = CapacitySchedulerMetrics.getMetrics();
    metrics.addNodeUpdate(millis);
    metrics.addSchedulerNodeHBInterval(interval);
    int granted = health.heartbeat(now());
    if (granted > 0) {
      metrics.addAllocate(millis);
    }
    for (int i = 0; i < granted; i++) {
      metrics.addCommitSuccess(millis);
    }
  }

  @Override
  boolean countsMasters() {
    return true;
  }

  @Override
  void noteGrant(NodeId node, String queue, Amounts size) {
    health.granted(now(), node, queue, size.toResource());
  }

  @Override
  void noteReservation(NodeId node, String queue, Resource size) {
    health.reserved(now(), node, queue, size);
  }

  @Override
  void noteEnd(RMContainer container, boolean isPreempted) {
    health.ended(now(), container, isPreempted);
  }

  @Override
  public void resetSchedulerMetrics() {
    CapacitySchedulerMetrics.destroy();
  }

  /** All, as in Hadoop where nothing is configured. There are none while labels are off. */
  @Override
  Set<String> accessibleLabels() {
    return Collections.singleton(CommonNodeLabelsManager.ANY);
  }

  /** Capacity's queues have their last part as a name too, where only one has it. */
  @Override
  ShownQueue findByShortName(Map<String, ShownQueue> all, String name) {
    ShownQueue found = null;
    for (ShownQueue queue : all.values()) {
      if (shownName(queue).equals(name)) {
        if (found != null) {
          return null;
        }
        found = queue;
      }
    }
    return found;
  }

  @Override
  String noQueue(String name) {
    return "Unknown queue: " + name;
  }

  @Override
  String shownName(ShownQueue queue) {
    return queue.name.substring(queue.name.lastIndexOf('.') + 1);
  }

  @Override
  void fillIn(QueueInfo info, ShownQueue queue) {
    info.setSchedulerType("CapacityScheduler");
    info.setCapacity(queue.capacity);
    info.setMaximumCapacity(queue.maximumCapacity);
    info.setCurrentCapacity(queue.usedCapacity);
  }

  @Override
  String shareOf(ShownQueue queue) {
    return String.format("%.1f%%", queue.absoluteCapacity * 100);
  }

  @Override
  Function<ShownQueue, SchedulerInfo> answer() {
    return new CapacityAnswer(this, file, health.details())::of;
  }

  // ------------------------------------------------------------------------------------------------ applications

  /** Mapping rules are asked when the application is added. */
  @Override
  ApplicationPlacementContext place(ApplicationSubmissionContext context, String user) {
    return null;
  }

  @Override
  boolean needsPlacement() {
    return false;
  }

  /** Where mapping rules lead; a queue that is not there yet is checked when the application is added. */
  @Override
  ShownQueue queueToSubmitTo(UserGroupInformation user, String queue) {
    users.sendGroups(user.getShortUserName());
    try {
      String placed = core.ask(out -> out.command(Wire.PLACE).text(user.getShortUserName()).maybe(queue), Wire::readMaybe);
      return queues.find(placed == null ? queue : placed);
    } catch (CoreRefusal refusal) {
      // Which is said when it is added.
      return null;
    }
  }

  @Override
  String deniedBy(ShownQueue queue) {
    return "";
  }

  @Override
  String rejection(ApplicationId id, String user, String queue, CoreRefusal refusal) {
    switch (refusal.kind) {
      case "no-such-queue":
        return "Application " + id + " submitted by user " + user + " to unknown queue: " + queue;
      case "ambiguous-queue":
        return "Application " + id + " submitted by user " + user + " to ambiguous queue: " + queue + " please use full queue path instead.";
      case "not-leaf":
        return "Application " + id + " submitted by user : " + user + " to non-leaf queue : " + queue;
      default:
        return "Failed to submit application " + id + " submitted by user " + user + " reason: " + refusal.getMessage();
    }
  }

  @Override
  void lost(ApplicationId id, String queue, CoreRefusal refusal) {
    if (failsFast) {
      throw new QueueInvalidException("Application " + id + " cannot be recovered into queue " + queue + ": " + refusal.getMessage());
    }
    send(new RMAppEvent(id, RMAppEventType.KILL, "Application killed on recovery as it was submitted to queue " + queue + " which "
        + (refusal.kind.equals("not-leaf") ? "is no longer a leaf queue after restart." : "no longer exists after restart.")));
  }

  /** What was asked for stays the application's queue, unless a rule leads elsewhere. */
  @Override
  boolean isNamedAs(String leaf, String asked) {
    return leaf.equals(asked) || leaf.endsWith("." + asked);
  }

  @Override
  void checkAsks(EvenweaveAttempt attempt, List<ResourceRequest> asks) {
    // What a queue can never serve waits, as in Hadoop.
  }

  @Override
  public ResourceCalculator getResourceCalculator() {
    return calculator;
  }

  @Override
  public EnumSet<SchedulerResourceTypes> getSchedulingResourceTypes() {
    return calculator instanceof DominantResourceCalculator
        ? EnumSet.of(SchedulerResourceTypes.MEMORY, SchedulerResourceTypes.CPU) : EnumSet.of(SchedulerResourceTypes.MEMORY);
  }

  @Override
  public Resource getMaximumResourceCapability(String queue) {
    ShownQueue found = queues.find(queue);
    Resource most = getMaximumResourceCapability();
    return found == null || !found.leaf ? most : Resources.componentwiseMin(most, found.maximumAllocation);
  }

  /** The user's and the queue's defaults, and who may have which, are the core's to say, when the application is added. */
  @Override
  public Priority checkAndGetApplicationPriority(Priority asked, UserGroupInformation user, String queue, ApplicationId id)
      throws YarnException {
    users.checkSubmission(user, queue, id);
    return withinCluster(asked);
  }

  private Priority withinCluster(Priority asked) {
    int priority = asked == null ? 0 : asked.getPriority();
    return Priority.newInstance(Math.min(priority, getMaxClusterLevelAppPriority().getPriority()));
  }

  @Override
  public Priority updateApplicationPriority(Priority asked, ApplicationId id, SettableFuture<Object> future,
      UserGroupInformation user) throws YarnException {
    EvenweaveApplication application = apps.get(id);
    RMApp rmApp = rmContext.getRMApps().get(id);
    if (application == null || rmApp == null) {
      throw new YarnException("Application '" + id + "' is not present, hence could not change priority.");
    }
    Priority priority = withinCluster(asked);
    if (priority.equals(application.getPriority())) {
      future.set(null);
      return priority;
    }
    rmApp.getApplicationSubmissionContext().setPriority(priority);
    ApplicationStateData state = ApplicationStateData.newInstance(rmApp.getSubmitTime(), rmApp.getStartTime(),
        rmApp.getApplicationSubmissionContext(), rmApp.getUser(), rmApp.getRealUser(), rmApp.getCallerContext());
    state.setApplicationTimeouts(rmApp.getApplicationTimeouts());
    state.setLaunchTime(rmApp.getLaunchTime());
    rmContext.getStateStore().updateApplicationStateSynchronously(state, false, future);
    try {
      core.tell(out -> out.command(Wire.SET_PRIORITY).number(application.number).number(priority.getPriority()));
    } catch (CoreRefusal refusal) {
      throw new YarnException(refusal.getMessage(), refusal);
    }
    application.setPriority(priority);
    EvenweaveAttempt attempt = application.getCurrentAppAttempt();
    if (attempt != null) {
      attempt.setPriority(priority);
    }
    return priority;
  }

  /** As in Hadoop, whose CapacityScheduler calls it preempted. */
  @Override
  public void killContainer(RMContainer container) {
    completedContainer(container, SchedulerUtils.createPreemptedContainerStatus(container.getContainerId(),
        SchedulerUtils.PREEMPTED_CONTAINER), RMContainerEventType.KILL);
  }

  /** There is no update thread: limits follow at once. */
  @Override
  public void update() {
    // Nothing is put off.
  }
}

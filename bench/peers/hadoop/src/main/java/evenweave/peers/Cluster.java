package evenweave.peers;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;

/**
 * A scheduler of Hadoop's within a {@link BareResourceManager}, with nodes, queues and applications, and the two operations that the
 * workloads are made of. Only the first of the drivers reports for nodes, only one at a time calls for an application.
 */
final class Cluster implements AutoCloseable {
  private static final ContainerUpdates NO_UPDATES = new ContainerUpdates();

  final Size size;
  private final Configuration configuration = new YarnConfiguration();
  private final BareResourceManager manager = new BareResourceManager();
  private final AbstractYarnScheduler<?, ?> scheduler;
  private final QueueMetrics metrics;
  private final ReportingNode[] nodes;
  private final ApplicationAttemptId[] apps;

  Cluster(Options options) throws IOException {
    size = options.size;
    // Metrics are registered by name for the whole process; those of the cluster before would be gone on with.
    QueueMetrics.clearQueueMetrics();
    DefaultMetricsSystem.shutdown();
    FairSettings fair = options.scheduler.fair() ? new FairSettings(options, configuration) : null;
    if (fair == null) {
      CapacitySettings.set(options, configuration);
    }
    manager.init(configuration);
    scheduler = (AbstractYarnScheduler<?, ?>) manager.getResourceScheduler();
    scheduler.start();
    metrics = scheduler.getRootQueueMetrics();
    nodes = new ReportingNode[size.nodes];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = addNode(i);
    }
    if (fair != null) {
      fair.addQueues(size, (FairScheduler) scheduler, this);
    }
    apps = new ApplicationAttemptId[size.apps];
    for (int i = 0; i < apps.length; i++) {
      apps[i] = addApp(i);
    }
  }

  Configuration configuration() {
    return configuration;
  }

  RMContext context() {
    return manager.getRMContext();
  }

  private ReportingNode addNode(int number) {
    ReportingNode node = new ReportingNode(number, context());
    context().getRMNodes().put(node.getNodeID(), node);
    scheduler.handle(new NodeAddedSchedulerEvent(node));
    return node;
  }

  private ApplicationAttemptId addApp(int number) {
    String queue = size.leafOf(number);
    IdleApp app = IdleApp.make(number, queue, context(), configuration, scheduler);
    ApplicationAttemptId attempt = app.getCurrentAppAttempt().getAppAttemptId();
    context().getRMApps().put(app.getApplicationId(), app);
    ApplicationPlacementContext placed = new ApplicationPlacementContext(queue);
    scheduler.handle(new AppAddedSchedulerEvent(app.getApplicationId(), queue, IdleApp.USER, placed));
    scheduler.handle(new AppAttemptAddedSchedulerEvent(attempt, false));
    // A refusal is an event to the application, which hears none.
    if (scheduler.getApplicationAttempt(attempt) == null) {
      throw new IllegalStateException("application " + number + " was not taken into " + queue);
    }
    return attempt;
  }

  // ---- the two operations

  /** A heartbeat: what the node reports as completed is taken out, then it is offered. Gives nanoseconds. */
  long heartbeat(ReportingNode node) {
    NodeUpdateSchedulerEvent event = new NodeUpdateSchedulerEvent(node);
    long start = System.nanoTime();
    scheduler.handle(event);
    return System.nanoTime() - start;
  }

  /** One call of an application's AM; the call is timed into {@code times}. */
  List<Container> allocate(int app, List<ResourceRequest> rows, Times times) {
    long start = System.nanoTime();
    var answer = scheduler.allocate(apps[app], rows, null, List.of(), List.of(), List.of(), NO_UPDATES);
    times.add(System.nanoTime() - start);
    return answer.getContainers();
  }

  /** Demand and shares anew, on this thread. */
  void update() {
    scheduler.update();
  }

  // ---- what the scheduler counts

  ReportingNode node(int number) {
    return nodes[number];
  }

  int running() {
    return metrics.getAllocatedContainers();
  }

  long allocated() {
    return metrics.getAggregateAllocatedContainers();
  }

  long allocatedNodeLocal() {
    return metrics.getAggregateNodeLocalContainersAllocated();
  }

  @Override
  public void close() {
    scheduler.stop();
    manager.stop();
  }
}

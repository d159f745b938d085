package io.evenweave.yarn;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.util.Set;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.ws.rs.Path;
import javax.ws.rs.core.Context;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.RMWSConsts;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.RMWebServices;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.AppInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.AppsInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.ClusterMetricsInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.ResourcesInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.SchedulerTypeInfo;
import org.apache.hadoop.yarn.webapp.BadRequestException;

/**
 * The ResourceManager's own web services, which know no scheduler but Hadoop's: what they say of one is said here. They stand where Hadoop's
 * stand, behind the same filters, so who one is and what one may is as with Hadoop's scheduler, and a standby ResourceManager sends to the
 * active one.
 */
@Singleton
@Path(RMWSConsts.RM_WEB_SERVICE_PATH)
public class EvenweaveWebServices extends RMWebServices {
  private static final String RESOURCES = "resourceInfo";

  private final ResourceManager manager;
  private @Context HttpServletResponse response;

  @Inject
  public EvenweaveWebServices(ResourceManager manager, Configuration conf) {
    super(manager, conf);
    this.manager = manager;
  }

  /** Null where the scheduler is none of Evenweave's. */
  private EvenweaveScheduler scheduler() {
    ResourceScheduler scheduler = manager.getResourceScheduler();
    return scheduler instanceof EvenweaveScheduler ? (EvenweaveScheduler) scheduler : null;
  }

  @Override
  public SchedulerTypeInfo getSchedulerInfo() {
    EvenweaveScheduler scheduler = scheduler();
    if (scheduler == null) {
      return super.getSchedulerInfo();
    }
    // What is written, and how, goes by what the request accepts, as for all other answers.
    response.setContentType(null);
    return new SchedulerTypeInfo(scheduler.describe());
  }

  @Override
  public ClusterMetricsInfo getClusterMetricsInfo() {
    ClusterMetricsInfo info = super.getClusterMetricsInfo();
    EvenweaveScheduler scheduler = scheduler();
    ShownQueue root = scheduler instanceof EvenweaveCapacityScheduler ? scheduler.queues.now().get("root") : null;
    if (root != null) {
      Fields.of(info).resource("totalUsedResourcesAcrossPartition", root.used)
          .resource("totalClusterResourcesAcrossPartition", scheduler.getClusterResource())
          .resource("totalReservedResourcesAcrossPartition", root.reserved)
          .set("totalAllocatedContainersAcrossPartition", (int) root.containers).set("crossPartitionMetricsAvailable", true)
          // What is reserved is not available, and a part of the whole.
          .set("totalMB", info.getTotalMB() + info.getReservedMB())
          .set("totalVirtualCores", info.getTotalVirtualCores() + info.getReservedVirtualCores());
    }
    return info;
  }

  /** Of a CapacityScheduler a queue has to be there. */
  @Override
  public AppsInfo getApps(HttpServletRequest request, String state, Set<String> states, String finalStatus, String user, String queue,
      String limit, String startedBegin, String startedEnd, String finishedBegin, String finishedEnd, Set<String> types, Set<String> tags,
      String name, Set<String> unselected) {
    if (queue != null && !queue.isEmpty() && scheduler() instanceof EvenweaveCapacityScheduler && scheduler().queues.find(queue) == null) {
      throw new BadRequestException(scheduler().noQueue(queue));
    }
    AppsInfo all = super.getApps(request, state, states, finalStatus, user, queue, limit, startedBegin, startedEnd, finishedBegin,
        finishedEnd, types, tags, name, unselected);
    all.getApps().forEach(app -> addResources(app, unselected));
    return all;
  }

  @Override
  public AppInfo getApp(HttpServletRequest request, String id, Set<String> unselected) {
    AppInfo app = super.getApp(request, id, unselected);
    addResources(app, unselected);
    return app;
  }

  /** What an application of a CapacityScheduler uses by partition, for whoever may see it. */
  private void addResources(AppInfo app, Set<String> unselected) {
    EvenweaveScheduler scheduler = scheduler();
    if (!(scheduler instanceof EvenweaveCapacityScheduler) || app.getAppId() == null || app.getResourceInfo() != null
        || unselected != null && unselected.contains(RESOURCES) || app.getRunningContainers() < 0 && app.getAllocatedMB() == 0) {
      return;
    }
    EvenweaveAttempt attempt = scheduler.getApplicationAttempt(ApplicationAttemptId.newInstance(ApplicationId.fromString(app.getAppId()), 1));
    if (attempt != null) {
      Fields.of(app).set(RESOURCES, new ResourcesInfo(attempt.getSchedulingResourceUsage()));
    }
  }
}

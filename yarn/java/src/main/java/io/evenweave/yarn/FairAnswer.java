package io.evenweave.yarn;

import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.FairSchedulerInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.FairSchedulerLeafQueueInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.FairSchedulerQueueInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.FairSchedulerQueueInfoList;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.SchedulerInfo;
import org.apache.hadoop.yarn.util.resource.Resources;

/** {@code /ws/v1/cluster/scheduler} of a FairScheduler: Hadoop's own data objects, filled with what the core shows. */
final class FairAnswer {
  private final Resource cluster;
  private final Resource largest;

  /** {@code largest}: the most that one container may have. */
  FairAnswer(Resource cluster, Resource largest) {
    this.cluster = Resources.clone(cluster);
    this.largest = largest;
  }

  SchedulerInfo of(ShownQueue root) {
    FairSchedulerInfo info = new FairSchedulerInfo();
    if (root != null) {
      Fields.of(info).set("rootQueue", queue(root));
    }
    return info;
  }

  private FairSchedulerQueueInfo queue(ShownQueue of) {
    FairSchedulerQueueInfo info = of.leaf ? new FairSchedulerLeafQueueInfo() : new FairSchedulerQueueInfo();
    Fields fields = Fields.of(info).set("maxApps", of.maxRunningApps).resource("minResources", orNone(of.minShare))
        .resource("maxResources", Resources.componentwiseMin(of.maxShare, cluster)).resource("usedResources", of.used)
        .resource("amUsedResources", of.amUsed).resource("amMaxResources", of.amLimit).resource("demandResources", of.demand)
        .resource("steadyFairResources", of.steadyFairShare).resource("fairResources", of.fairShare)
        .resource("clusterResources", cluster)
        .resource("reservedResources", of.measured.reserved)
        .resource("maxContainerAllocation", Resources.componentwiseMin(largest, of.maximumAllocation))
        .set("pendingContainers", (long) of.measured.pendingContainers)
        .set("allocatedContainers", (long) of.measured.allocatedContainers)
        .set("reservedContainers", (long) of.measured.reservedContainers).set("queueName", of.name)
        .set("schedulingPolicy", of.policy).set("preemptable", of.preemptable);
    if (of.leaf) {
      fields.set("numPendingApps", of.pendingApps).set("numActiveApps", of.activeApps);
    } else if (!of.children.isEmpty()) {
      FairSchedulerQueueInfoList children = new FairSchedulerQueueInfoList();
      of.children.forEach(child -> children.addToQueueInfoList(queue(child)));
      fields.set("childQueues", children);
    }
    return info;
  }

  /** Where nothing is configured Hadoop shows its own nothing, which has other bounds. */
  private static Resource orNone(Resource configured) {
    return configured.equals(Resources.none()) ? Resources.none() : configured;
  }
}

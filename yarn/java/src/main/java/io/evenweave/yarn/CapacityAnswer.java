package io.evenweave.yarn;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.nodelabels.CommonNodeLabelsManager;
import org.apache.hadoop.yarn.security.AccessType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerHealth;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AutoCreatedQueueTemplate;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacitySchedulerConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueuePath;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.UserInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerHealthInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerLeafQueueInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerQueueInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerQueueInfoList;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.LeafQueueTemplateInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.PartitionQueueCapacitiesInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.PartitionResourcesInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.QueueAclInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.QueueAclsInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.QueueCapacitiesInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.QueueCapacityVectorInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.ResourceInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.ResourcesInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.SchedulerInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.UsersInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.helper.CapacitySchedulerInfoHelper;
import org.apache.hadoop.yarn.util.resource.Resources;

/**
 * {@code /ws/v1/cluster/scheduler} of a CapacityScheduler: Hadoop's own data objects, filled with what the core shows, and for access control and
 * templates with what Hadoop reads of the queue file.
 */
final class CapacityAnswer {
  private final EvenweaveScheduler scheduler;
  private final CapacitySchedulerConfiguration file;
  private final CapacitySchedulerHealthInfo health;

  CapacityAnswer(EvenweaveScheduler scheduler, CapacitySchedulerConfiguration file, SchedulerHealth health) {
    this.scheduler = scheduler;
    this.file = file;
    this.health = info(health);
  }

  SchedulerInfo of(ShownQueue root) {
    CapacitySchedulerInfo info = new CapacitySchedulerInfo();
    if (root == null) {
      return info;
    }
    Fields fields = Fields.of(info).set("capacity", percent(root.capacity)).set("usedCapacity", root.usedCapacity * 100)
        .set("maxCapacity", percent(root.maximumCapacity)).set("queueCapacityVectorInfo", new QueueCapacityVectorInfo(root.vector))
        .set("isAbsoluteResource", root.isAbsolute).set("queues", below(root)).set("health", health)
        .set("queueAcls", acls(root, scheduler.shownName(root)));
    common(fields, root);
    templates(fields, root);
    return info;
  }

  /** What root and all others have. */
  private void common(Fields fields, ShownQueue of) {
    fields.set("weight", of.weight).set("normalizedWeight", of.normalizedWeight).set("queueName", scheduler.shownName(of))
        .set("queuePath", of.name).set("maxParallelApps", of.maxParallelApps).set("capacities", capacities(of))
        .resource("maximumAllocation", of.configuredMaximumAllocation).set("queuePriority", of.priority)
        .set("orderingPolicyInfo", of.ordering).set("mode", of.mode).set("queueType", of.leaf ? "leaf" : "parent")
        .set("creationMethod", of.creation).set("autoCreationEligibility", of.eligibility);
  }

  private void templates(Fields fields, ShownQueue of) {
    AutoCreatedQueueTemplate template = new AutoCreatedQueueTemplate(file, new QueuePath(of.name));
    fields.set("autoQueueTemplateProperties", CapacitySchedulerInfoHelper.getAutoCreatedTemplate(template.getTemplateProperties()))
        .set("autoQueueParentTemplateProperties", CapacitySchedulerInfoHelper.getAutoCreatedTemplate(template.getParentOnlyProperties()))
        .set("autoQueueLeafTemplateProperties", CapacitySchedulerInfoHelper.getAutoCreatedTemplate(template.getLeafOnlyProperties()));
  }

  private CapacitySchedulerQueueInfoList below(ShownQueue of) {
    CapacitySchedulerQueueInfoList list = new CapacitySchedulerQueueInfoList();
    // As in Hadoop: leaf queues first.
    of.children.stream().filter(child -> child.leaf).forEach(child -> list.addToQueueInfoList(queue(child)));
    of.children.stream().filter(child -> !child.leaf).forEach(child -> list.addToQueueInfoList(queue(child)));
    return list;
  }

  private CapacitySchedulerQueueInfo queue(ShownQueue of) {
    CapacitySchedulerQueueInfo info = of.leaf ? made(CapacitySchedulerLeafQueueInfo.class) : made(CapacitySchedulerQueueInfo.class);
    Fields fields = Fields.of(info).set("capacity", of.capacity * 100).set("usedCapacity", of.usedCapacity * 100)
        .set("maxCapacity", percent(of.maximumCapacity)).set("absoluteCapacity", percent(of.absoluteCapacity))
        .set("absoluteMaxCapacity", percent(of.absoluteMaximumCapacity)).set("absoluteUsedCapacity", percent(of.absoluteUsedCapacity))
        .set("numApplications", (int) of.applications).set("isAbsoluteResource", of.isAbsolute).set("state", QueueState.valueOf(of.state))
        .resource("resourcesUsed", of.used).set("nodeLabels", new ArrayList<>(Arrays.asList(CommonNodeLabelsManager.ANY)))
        .set("allocatedContainers", (long) of.measured.allocatedContainers)
        .set("reservedContainers", (long) of.measured.reservedContainers)
        .set("pendingContainers", (long) of.measured.pendingContainers).set("resources", usage(of))
        .resource("minEffectiveCapacity", of.minShare).resource("maxEffectiveCapacity", of.maxShare)
        .set("queueAcls", acls(of, of.name)).set("autoCreateChildQueueEnabled", of.isManagedParent)
        .set("leafQueueTemplate", new LeafQueueTemplateInfo(file, of.name));
    common(fields, of);
    if (of.leaf) {
      leaf(fields, of.ofLeaf, of);
    } else {
      templates(fields, of);
      fields.set("queues", below(of));
    }
    return info;
  }

  private void leaf(Fields fields, ShownQueue.Leaf leaf, ShownQueue of) {
    // In the order of Hadoop's map, of which the first user's limit is shown as that of all.
    Map<String, ShownQueue.User> byName = new HashMap<>();
    leaf.users.forEach(user -> byName.put(user.name, user));
    ArrayList<UserInfo> users = new ArrayList<>();
    byName.values().forEach(user -> users.add(user(user)));
    Resource userAmLimit = byName.isEmpty() ? leaf.amLimit : byName.values().iterator().next().amLimit;
    fields.set("numActiveApplications", leaf.active).set("numPendingApplications", leaf.pending).set("numContainers", (int) of.containers)
        .set("maxApplications", leaf.maxApplications).set("maxApplicationsPerUser", leaf.maxApplicationsPerUser)
        .set("userLimit", leaf.userLimit).set("users", new UsersInfo(users)).set("userLimitFactor", leaf.userLimitFactor)
        .set("configuredMaxAMResourceLimit", leaf.amPart).resource("AMResourceLimit", leaf.amLimit).resource("usedAMResource", leaf.amUsed)
        .resource("userAMResourceLimit", userAmLimit).set("preemptionDisabled", leaf.preemptionDisabled)
        .set("intraQueuePreemptionDisabled", leaf.intraQueuePreemptionDisabled).set("defaultPriority", leaf.defaultPriority)
        .set("isAutoCreatedLeafQueue", of.creation.equals("dynamicLegacy")).set("maxApplicationLifetime", leaf.maximumLifetime)
        .set("defaultApplicationLifetime", leaf.defaultLifetime);
  }

  private static UserInfo user(ShownQueue.User of) {
    UserInfo info = made(UserInfo.class);
    Resource none = Resource.newInstance(0, 0);
    ResourcesInfo usage = new ResourcesInfo();
    usage.getPartitionResourceUsages().add(new PartitionResourcesInfo("", new ResourceInfo(of.used), new ResourceInfo(none),
        new ResourceInfo(none), new ResourceInfo(of.amUsed), new ResourceInfo(of.amLimit), new ResourceInfo(none)));
    Fields.of(info).set("username", of.name).resource("resourcesUsed", of.used).set("numPendingApplications", of.pending)
        .set("numActiveApplications", of.active).resource("AMResourceUsed", of.amUsed).resource("userResourceLimit", of.limit)
        .set("resources", usage).set("userWeight", of.weight).set("isActive", of.isActive);
    return info;
  }

  private static QueueCapacitiesInfo capacities(ShownQueue of) {
    QueueCapacitiesInfo info = new QueueCapacitiesInfo();
    info.add(new PartitionQueueCapacitiesInfo("", new QueueCapacityVectorInfo(of.vector), of.capacity * 100, of.usedCapacity * 100,
        percent(of.maximumCapacity), percent(of.absoluteCapacity), percent(of.absoluteUsedCapacity), percent(of.absoluteMaximumCapacity),
        of.leaf ? of.maxAmPart * 100 : 0, of.weight, of.normalizedWeight, orNone(of.configuredMinimum), orNone(of.configuredMaximum),
        of.minShare, of.maxShare));
    return info;
  }

  private static ResourcesInfo usage(ShownQueue of) {
    ResourcesInfo info = new ResourcesInfo();
    ShownQueue.Leaf leaf = of.ofLeaf;
    info.getPartitionResourceUsages().add(new PartitionResourcesInfo("", new ResourceInfo(of.used), new ResourceInfo(of.reserved),
        new ResourceInfo(of.pending), leaf == null ? null : new ResourceInfo(leaf.amUsed), leaf == null ? null : new ResourceInfo(leaf.amLimit),
        leaf == null ? null : new ResourceInfo(leaf.userAmLimit)));
    return info;
  }

  private QueueAclsInfo acls(ShownQueue of, String nameOfPriorityAcl) {
    ArrayList<QueueAclInfo> all = new ArrayList<>();
    file.getAcls(of.name).forEach((type, list) -> all.add(new QueueAclInfo(type.toString(), list.getAclString())));
    String priority = AccessType.APPLICATION_MAX_PRIORITY.toString();
    all.add(new QueueAclInfo(priority, file.get(CapacitySchedulerConfiguration.PREFIX + nameOfPriorityAcl + ".acl_"
        + StringUtils.toLowerCase(priority), CapacitySchedulerConfiguration.ALL_ACL)));
    all.sort(Comparator.comparing(QueueAclInfo::getAccessType));
    QueueAclsInfo info = new QueueAclsInfo();
    info.addAll(all);
    return info;
  }

  private static CapacitySchedulerHealthInfo info(SchedulerHealth health) {
    CapacitySchedulerHealthInfo info = made(CapacitySchedulerHealthInfo.class);
    List<Object> operations = new ArrayList<>();
    operations.add(operation("last-allocation", health.getLastAllocationDetails()));
    operations.add(operation("last-release", health.getLastReleaseDetails()));
    operations.add(operation("last-preemption", health.getLastPreemptionDetails()));
    operations.add(operation("last-reservation", health.getLastReservationDetails()));
    List<Object> runs = new ArrayList<>();
    runs.add(run("releases", health.getReleaseCount(), health.getResourcesReleased()));
    runs.add(run("allocations", health.getAllocationCount(), health.getResourcesAllocated()));
    runs.add(run("reservations", health.getReservationCount(), health.getResourcesReserved()));
    Fields.of(info).set("lastrun", health.getLastSchedulerRunTime()).set("operationsInfo", operations).set("lastRunDetails", runs);
    return info;
  }

  private static Object operation(String name, SchedulerHealth.DetailedInformation of) {
    CapacitySchedulerHealthInfo.OperationInformation info = made(CapacitySchedulerHealthInfo.OperationInformation.class);
    Fields.of(info).set("operation", name).set("nodeId", orNotThere(of.getNodeId())).set("containerId", orNotThere(of.getContainerId()))
        .set("queue", orNotThere(of.getQueue()));
    return info;
  }

  private static String orNotThere(Object of) {
    return of == null ? "N/A" : of.toString();
  }

  private static Object run(String name, long count, Resource resource) {
    CapacitySchedulerHealthInfo.LastRunDetails info = made(CapacitySchedulerHealthInfo.LastRunDetails.class);
    Fields.of(info).set("operation", name).set("count", count).resource("resources", resource);
    return info;
  }

  /** Hadoop's data objects have constructors for its own schedulers, and one without arguments that others do not see. */
  static <T> T made(Class<T> type) {
    try {
      Constructor<T> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " cannot be made", e);
    }
  }

  /** Where nothing is configured Hadoop shows its own nothing, which has other bounds. */
  private static Resource orNone(Resource configured) {
    return configured.equals(Resources.none()) ? Resources.none() : configured;
  }

  /** Between none and all, as Hadoop shows parts of a queue or a cluster. */
  private static float percent(float part) {
    return Math.min(Math.max(part, 0), 1) * 100;
  }
}

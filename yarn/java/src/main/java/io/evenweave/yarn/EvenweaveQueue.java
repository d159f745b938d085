package io.evenweave.yarn;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.QueueACL;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.nodelabels.CommonNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractUsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ActiveUsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Queue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;

/** A queue as the ResourceManager needs one: a name and metrics. All else is the core's. */
final class EvenweaveQueue implements Queue {
  private final EvenweaveScheduler scheduler;
  private final String name;
  private final QueueMetrics metrics;
  private final ActiveUsersManager users;

  EvenweaveQueue(EvenweaveScheduler scheduler, String name, QueueMetrics metrics) {
    this.scheduler = scheduler;
    this.name = name;
    this.metrics = metrics;
    this.users = new ActiveUsersManager(metrics);
  }

  @Override
  public String getQueueName() {
    return name;
  }

  @Override
  public QueueMetrics getMetrics() {
    return metrics;
  }

  @Override
  public QueueInfo getQueueInfo(boolean includeChildQueues, boolean recursive) {
    return scheduler.queues.info(this, includeChildQueues, recursive);
  }

  @Override
  public List<QueueUserACLInfo> getQueueUserAclInfo(UserGroupInformation user) {
    return Collections.singletonList(scheduler.users.acls(name, user));
  }

  @Override
  public boolean hasAccess(QueueACL acl, UserGroupInformation user) {
    return scheduler.checkAccess(user, acl, name);
  }

  @Override
  public AbstractUsersManager getAbstractUsersManager() {
    return users;
  }

  @Override
  public void recoverContainer(Resource cluster, SchedulerApplicationAttempt attempt, RMContainer container) {
    // The core is told when all of a node's containers are here.
  }

  @Override
  public Set<String> getAccessibleNodeLabels() {
    return Collections.singleton(CommonNodeLabelsManager.ANY);
  }

  @Override
  public String getDefaultNodeLabelExpression() {
    return null;
  }

  @Override
  public void incPendingResource(String label, Resource resource) {
    // What is pending is in the metrics.
  }

  @Override
  public void decPendingResource(String label, Resource resource) {
    // What is pending is in the metrics.
  }

  @Override
  public Priority getDefaultApplicationPriority() {
    return Priority.newInstance(0);
  }

  @Override
  public void incReservedResource(String partition, Resource resource) {
    // Reservations are the core's.
  }

  @Override
  public void decReservedResource(String partition, Resource resource) {
    // Reservations are the core's.
  }
}

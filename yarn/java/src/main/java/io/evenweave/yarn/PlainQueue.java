package io.evenweave.yarn;

import java.util.Collections;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractUsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ActiveUsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Queue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;

/**
 * A queue of a scheduler that needs no more of it than a name and metrics: it has no labels and no priority, and counts nothing. It is also the base of the
 * queue in {@code yarn/figures}.
 */
public abstract class PlainQueue implements Queue {
  private final String name;
  private final QueueMetrics metrics;
  private final ActiveUsersManager users;

  protected PlainQueue(String name, QueueMetrics metrics) {
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
  public AbstractUsersManager getAbstractUsersManager() {
    return users;
  }

  @Override
  public void recoverContainer(Resource cluster, SchedulerApplicationAttempt attempt, RMContainer container) {
    // Who decides is told when all of a node's containers are here.
  }

  @Override
  public Set<String> getAccessibleNodeLabels() {
    return Collections.emptySet();
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
    // Who decides knows what is reserved.
  }

  @Override
  public void decReservedResource(String partition, Resource resource) {
    // Who decides knows what is reserved.
  }
}

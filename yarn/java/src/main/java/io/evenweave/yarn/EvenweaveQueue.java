package io.evenweave.yarn;

import java.util.Collections;
import java.util.List;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.QueueACL;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;

/** A queue as the ResourceManager needs one: a name and metrics. All else is the core's. */
final class EvenweaveQueue extends PlainQueue {
  private final EvenweaveScheduler scheduler;

  EvenweaveQueue(EvenweaveScheduler scheduler, String name, QueueMetrics metrics) {
    super(name, metrics);
    this.scheduler = scheduler;
  }

  @Override
  public QueueInfo getQueueInfo(boolean includeChildQueues, boolean recursive) {
    return scheduler.queues.info(this, includeChildQueues, recursive);
  }

  @Override
  public List<QueueUserACLInfo> getQueueUserAclInfo(UserGroupInformation user) {
    return Collections.singletonList(scheduler.users.acls(getQueueName(), user));
  }

  @Override
  public boolean hasAccess(QueueACL acl, UserGroupInformation user) {
    return scheduler.checkAccess(user, acl, getQueueName());
  }
}

package io.evenweave.yarn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.Groups;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.QueueACL;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.ipc.RPCUtil;

/** What users may do, by the core's queues and Hadoop's groups. */
final class Users {
  private final EvenweaveScheduler scheduler;

  Users(EvenweaveScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** The core hears what groups somebody is in, by Hadoop's mapping. */
  void sendGroups(String user) {
    List<String> groups;
    try {
      groups = Groups.getUserToGroupsMappingService(scheduler.getConf()).getGroups(user);
    } catch (IOException unknown) {
      groups = Collections.emptyList();
    }
    List<String> sent = groups;
    scheduler.core.tellIfThere(out -> out.command(Wire.GROUPS).text(user).texts(sent));
  }

  boolean may(UserGroupInformation user, QueueACL acl, String queue) {
    ShownQueue state = scheduler.queues.find(queue);
    if (state == null) {
      return false;
    }
    List<String> groups = user.getGroups();
    scheduler.core.lock();
    try {
      scheduler.core.tell(out -> out.command(Wire.GROUPS).text(user.getShortUserName()).texts(groups));
      return scheduler.core.ask(out -> out.command(Wire.PERMITS).text(user.getShortUserName()).text(state.name)
          .flag(acl == QueueACL.ADMINISTER_QUEUE), Wire::readFlag);
    } catch (CoreRefusal refusal) {
      EvenweaveScheduler.LOG.error("No access to {}: {}", queue, refusal.getMessage());
      return false;
    } finally {
      scheduler.core.unlock();
    }
  }

  /** As in Hadoop, whoever may not submit to a queue is told so at once. */
  void checkSubmission(UserGroupInformation user, String queue, ApplicationId id) throws YarnException {
    if (!YarnConfiguration.isAclEnabled(scheduler.getConf())) {
      return;
    }
    ShownQueue asked = scheduler.queueToSubmitTo(user, queue);
    if (asked != null && !may(user, QueueACL.SUBMIT_APPLICATIONS, asked.name) && !may(user, QueueACL.ADMINISTER_QUEUE, asked.name)) {
      throw RPCUtil.getRemoteException(new AccessControlException("User " + user.getShortUserName()
          + " does not have permission to submit " + id + " to queue " + queue + scheduler.deniedBy(asked)));
    }
  }

  QueueUserACLInfo acls(String queue, UserGroupInformation user) {
    List<QueueACL> may = new ArrayList<>();
    for (QueueACL acl : QueueACL.values()) {
      if (may(user, acl, queue)) {
        may.add(acl);
      }
    }
    return QueueUserACLInfo.newInstance(queue, may);
  }

  List<QueueUserACLInfo> acls() {
    List<QueueUserACLInfo> all = new ArrayList<>();
    try {
      UserGroupInformation user = UserGroupInformation.getCurrentUser();
      scheduler.queues.shown().keySet().forEach(queue -> all.add(acls(queue, user)));
    } catch (IOException nobody) {
      EvenweaveScheduler.LOG.debug("Nobody asks", nobody);
    }
    return all;
  }
}

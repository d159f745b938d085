package web;

import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.YarnClient;

/** An application whose ApplicationMaster nobody starts: it is this program. */
final class Master {
  final ApplicationId id;
  final List<Container> got = new ArrayList<>();
  private final Manager manager;
  private final UserGroupInformation user;
  private final ApplicationMasterProtocol protocol;
  private int responseId;

  Master(Manager manager, String name, String queue) throws Exception {
    this.manager = manager;
    id = manager.as(name, client -> submit(client, queue, "x", ""));
    user = UserGroupInformation.createRemoteUser(name);
    user.addToken(manager.as(name, client -> {
      for (int i = 0; i < 200 && client.getAMRMToken(id) == null; i++) {
        Thread.sleep(50);
      }
      return client.getAMRMToken(id);
    }));
    protocol = call(() -> ClientRMProxy.createRMProxy(manager.conf, ApplicationMasterProtocol.class));
    register();
  }

  static ApplicationId submit(YarnClient client, String queue, String name, String label) throws Exception {
    ApplicationSubmissionContext context = client.createApplication().getApplicationSubmissionContext();
    context.setApplicationName(name);
    context.setQueue(queue);
    context.setPriority(Priority.newInstance(0));
    context.setUnmanagedAM(label.isEmpty());
    context.setMaxAppAttempts(1);
    if (!label.isEmpty()) {
      context.setNodeLabelExpression(label);
    }
    context.setResource(Resource.newInstance(128, 1));
    context.setAMContainerSpec(ContainerLaunchContext.newInstance(Map.of(), Map.of(), List.of(), Map.of(), null, Map.of()));
    return client.submitApplication(context);
  }

  private <T> T call(PrivilegedExceptionAction<T> what) throws Exception {
    return Manager.as(user, what);
  }

  void register() throws Exception {
    responseId = 0;
    call(() -> protocol.registerApplicationMaster(RegisterApplicationMasterRequest.newInstance("localhost", -1, "")));
  }

  /** So many containers anywhere, or with a label. */
  static ResourceRequest ask(int priority, int mb, int count, String label) {
    return ResourceRequest.newInstance(Priority.newInstance(priority), ResourceRequest.ANY, Resource.newInstance(mb, 1), count, true, label);
  }

  AllocateResponse beat(ResourceRequest... asks) throws Exception {
    return beat(List.of(asks), List.of());
  }

  AllocateResponse beat(List<ResourceRequest> asks, List<ContainerId> releases) throws Exception {
    AllocateResponse answer = call(() -> protocol.allocate(AllocateRequest.newInstance(responseId, 0.1f, asks, releases, null)));
    responseId = answer.getResponseId();
    got.addAll(answer.getAllocatedContainers());
    return answer;
  }

  /** Until there are so many, which run from then on. Nodes and the master call in turn. */
  void await(int containers, Node... nodes) throws Exception {
    int known = got.size();
    for (int i = 0; i < 200 && got.size() < containers; i++) {
      for (Node node : nodes) {
        node.beat();
      }
      beat();
      Thread.sleep(50);
    }
    if (got.size() < containers) {
      throw new IllegalStateException(id + " has " + got.size() + " containers, and not " + containers);
    }
    for (Container container : got.subList(known, got.size())) {
      for (Node node : nodes) {
        if (node.id.equals(container.getNodeId())) {
          node.starts(container);
        }
      }
    }
  }

  void finish() throws Exception {
    call(() -> protocol.finishApplicationMaster(FinishApplicationMasterRequest.newInstance(FinalApplicationStatus.SUCCEEDED, "", "")));
    awaitEnd();
  }

  void kill() throws Exception {
    manager.as(user.getShortUserName(), client -> {
      client.killApplication(id);
      return null;
    });
    awaitEnd();
  }

  private void awaitEnd() throws Exception {
    manager.as("root", client -> {
      for (int i = 0; i < 200; i++) {
        switch (client.getApplicationReport(id).getYarnApplicationState()) {
          case FINISHED: case KILLED: case FAILED: return null;
          default: Thread.sleep(50);
        }
      }
      throw new IllegalStateException(id + " does not end");
    });
  }
}

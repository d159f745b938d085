package web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.api.ResourceTracker;
import org.apache.hadoop.yarn.server.api.ServerRMProxy;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatResponse;
import org.apache.hadoop.yarn.server.api.protocolrecords.RegisterNodeManagerRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.RegisterNodeManagerResponse;
import org.apache.hadoop.yarn.server.api.records.NodeHealthStatus;
import org.apache.hadoop.yarn.server.api.records.NodeStatus;

/** A NodeManager that runs nothing: it says what it is told to say. */
final class Node {
  final NodeId id;
  private final Resource size;
  private final ResourceTracker tracker;
  private RegisterNodeManagerResponse registered;
  private int responseId;
  private final Map<ContainerId, Resource> running = new LinkedHashMap<>();
  private final List<ContainerStatus> news = new ArrayList<>();

  Node(Manager manager, String host, int mb, int vcores) throws Exception {
    id = NodeId.newInstance(host, 4321);
    size = Resource.newInstance(mb, vcores);
    tracker = ServerRMProxy.createRMProxy(manager.conf, ResourceTracker.class);
  }

  Node register(NMContainerStatus... containers) throws Exception {
    registered = tracker.registerNodeManager(RegisterNodeManagerRequest.newInstance(id, 8042, size, "3.4.2", List.of(containers), List.of()));
    responseId = 0;
    for (NMContainerStatus container : containers) {
      running.put(container.getContainerId(), container.getAllocatedResource());
    }
    return this;
  }

  void starts(Container container) {
    running.put(container.getId(), container.getResource());
  }

  void ends(ContainerId container) {
    news.add(status(container, running.remove(container), ContainerState.COMPLETE));
  }

  /** One heartbeat. */
  NodeHeartbeatResponse beat() throws Exception {
    List<ContainerStatus> all = new ArrayList<>(news);
    news.clear();
    running.forEach((container, resource) -> all.add(status(container, resource, ContainerState.RUNNING)));
    NodeStatus status = NodeStatus.newInstance(id, responseId, all, List.of(), NodeHealthStatus.newInstance(true, "", 0), null, null, null);
    NodeHeartbeatResponse answer = tracker.nodeHeartbeat(NodeHeartbeatRequest.newInstance(status,
        registered.getContainerTokenMasterKey(), registered.getNMTokenMasterKey(), null));
    responseId = answer.getResponseId();
    answer.getContainersToCleanup().stream().filter(running::containsKey).forEach(this::ends);
    return answer;
  }

  private static ContainerStatus status(ContainerId id, Resource resource, ContainerState state) {
    ContainerStatus status = ContainerStatus.newInstance(id, state, "", 0);
    status.setCapability(resource);
    return status;
  }
}

package evenweave.peers;

import java.util.List;
import org.apache.hadoop.net.NodeBase;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeStartedEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.UpdatedContainerInfo;
import org.apache.hadoop.yarn.server.utils.BuilderUtils;

/** A running node of the ResourceManager; what it reports with its next heartbeat is put into it by the driver. */
final class ReportingNode extends RMNodeImpl {
  private static final int ANY_PORT = 45_454;
  private static final Resource CONTAINER = Resource.newInstance(Size.CONTAINER_MIB, Size.CONTAINER_VCORES);

  private List<ContainerStatus> completed = List.of();

  ReportingNode(int number, RMContext context) {
    super(NodeId.newInstance(Size.host(number), ANY_PORT), context, Size.host(number), ANY_PORT, ANY_PORT + 1,
        new NodeBase(Size.host(number), Size.rack(number)), Resource.newInstance(Size.NODE_MIB, Size.NODE_VCORES), "3.4.2");
    handle(new RMNodeStartedEvent(getNodeID(), null, null, null));
  }

  /** With the next heartbeat these are told of as completed. */
  void completes(List<ContainerId> containers) {
    completed = containers.stream().map(ReportingNode::complete).toList();
  }

  private static ContainerStatus complete(ContainerId container) {
    return BuilderUtils.newContainerStatus(container, ContainerState.COMPLETE, "", 0, CONTAINER, ExecutionType.GUARANTEED);
  }

  @Override
  public List<UpdatedContainerInfo> pullContainerUpdates() {
    if (completed.isEmpty()) {
      return List.of();
    }
    UpdatedContainerInfo update = new UpdatedContainerInfo(List.of(), completed, List.of());
    completed = List.of();
    return List.of(update);
  }
}

package io.evenweave.yarn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;

/** Nodes come, report, change and go. */
final class Nodes {
  private static final org.slf4j.Logger LOG = EvenweaveScheduler.LOG;

  private final EvenweaveScheduler scheduler;
  private final Map<Integer, EvenweaveNode> byNumber = new ConcurrentHashMap<>();
  /** By {@code yarn.scheduler.include-port-in-node-name}. */
  volatile boolean usePortForNodeName;

  Nodes(EvenweaveScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** By the number that the core has for it. */
  EvenweaveNode get(int number) {
    return byNumber.get(number);
  }

  void add(List<NMContainerStatus> reports, RMNode rmNode) {
    EvenweaveNode node = new EvenweaveNode(rmNode, usePortForNodeName);
    scheduler.getNodeTracker().addNode(node);
    // Both take locks that are not to be taken under the core's.
    scheduler.nodeComes(node);
    if (reports != null) {
      // One that was granted by another scheduler: what it uses is taken off the metrics of the partition that it was added to.
      reports.forEach(report -> report.setNodeLabelExpression(RMNodeLabelsManager.NO_LABEL));
    }
    scheduler.recoverContainersOnNode(reports, rmNode);
    scheduler.core.lock();
    try {
      register(node);
      byNumber.put(node.number, node);
      node.takeRecovered().forEach(container -> scheduler.containers.recover(node, container));
      scheduler.showAvailable();
      LOG.info("Added node {} cluster capacity: {}", rmNode.getNodeAddress(), scheduler.getClusterResource());
    } catch (CoreRefusal refusal) {
      LOG.error("Node {} gets no containers: {}", rmNode.getNodeAddress(), refusal.getMessage());
    } finally {
      scheduler.core.unlock();
    }
  }

  /** The core has one node of a name: further ones of a host are named with their port, and asks for the host do not find them. */
  private void register(EvenweaveNode node) throws CoreRefusal {
    try {
      node.number = askToAdd(node);
    } catch (CoreRefusal refusal) {
      if (!refusal.kind.equals("duplicate-node")) {
        throw refusal;
      }
      node.nameInCore = node.getNodeID().toString();
      LOG.warn("Another node is called {}: {} is called {}, and is not found by asks for the host", node.getNodeName(),
          node.getNodeID(), node.nameInCore);
      node.number = askToAdd(node);
    }
  }

  private int askToAdd(EvenweaveNode node) throws CoreRefusal {
    return scheduler.core.ask(out -> out.command(Wire.ADD_NODE).text(node.nameInCore)
        .number(node.getNodeID().getPort()).text(node.getRackName()).resource(node.getTotalResource()), Wire::readInt);
  }

  /** The core hears of a heartbeat whose news are in Hadoop's books, and offers the node's room. */
  void report(RMNode rmNode) {
    EvenweaveNode node = scheduler.getSchedulerNode(rmNode.getNodeID());
    scheduler.core.lock();
    try {
      if (node == null) {
        LOG.info("Skipping scheduling as the node {} has been removed", rmNode.getNodeID());
      } else {
        boolean offered = scheduler.mayAllocate();
        List<CoreId> launched = node.takeLaunched();
        List<CoreId> completed = node.takeCompleted();
        scheduler.core.tellIfThere(out -> out.command(Wire.HEARTBEAT).number(node.number).flag(offered).containers(launched)
            .containers(completed));
      }
      scheduler.showAvailable();
    } finally {
      scheduler.core.unlock();
    }
  }

  void remove(RMNode rmNode) {
    // Takes a lock that is not to be taken under the core's.
    scheduler.nodeGoes(rmNode.getNodeID());
    scheduler.core.lock();
    try {
      EvenweaveNode node = scheduler.getSchedulerNode(rmNode.getNodeID());
      if (node == null) {
        LOG.error("Attempting to remove non-existent node {}", rmNode.getNodeID());
        return;
      }
      scheduler.core.tellIfThere(out -> out.command(Wire.REMOVE_NODE).number(node.number));
      scheduler.containers.unreserve(node);
      scheduler.containers.endKnown(() -> {
        for (RMContainer container : node.getCopiedListOfRunningContainers()) {
          scheduler.completedContainer(container, SchedulerUtils.createAbnormalContainerStatus(container.getContainerId(),
              SchedulerUtils.LOST_CONTAINER), RMContainerEventType.KILL);
          node.releaseContainer(container.getContainerId(), true);
        }
      });
      byNumber.remove(node.number);
      scheduler.getNodeTracker().removeNode(rmNode.getNodeID());
      scheduler.showAvailable();
      LOG.info("Removed node {} cluster capacity: {}", rmNode.getNodeAddress(), scheduler.getClusterResource());
    } finally {
      scheduler.core.unlock();
    }
  }

  /** Hadoop's books have the new size already. By whoever holds the core's lock. */
  void resized(NodeId id) {
    EvenweaveNode node = scheduler.getSchedulerNode(id);
    if (node != null) {
      scheduler.core.tellIfThere(out -> out.command(Wire.RESIZE_NODE).number(node.number).resource(node.getTotalResource()));
      scheduler.queues.mayHaveChanged();
    }
    scheduler.showAvailable();
  }

  /** The reservation of a node is given up, where the scheduler does so. */
  void giveUpReservation(NodeId id) {
    EvenweaveNode node = scheduler.getSchedulerNode(id);
    if (node != null && node.getReservedContainer() != null) {
      scheduler.core.tellIfThere(out -> out.command(Wire.GIVE_UP_RESERVATION).number(node.number));
    }
  }

  /** It comes after each change of a node, whether there are labels or not: limits are worked out once more. */
  void labelsUpdated(Set<NodeId> ids) {
    scheduler.core.lock();
    try {
      List<EvenweaveNode> updated = new ArrayList<>();
      for (NodeId id : ids) {
        EvenweaveNode node = scheduler.getSchedulerNode(id);
        if (node != null && byNumber.get(node.number) == node) {
          updated.add(node);
        }
      }
      scheduler.core.tellIfThere(out -> {
        out.command(Wire.LABELS_UPDATED).number(updated.size());
        updated.forEach(node -> out.number(node.number));
      });
    } finally {
      scheduler.core.unlock();
    }
  }
}

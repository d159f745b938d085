package io.evenweave.yarn;

import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerHealth;
import org.apache.hadoop.yarn.util.resource.Resources;

/** How the last heartbeat went, and what was done last, as the CapacityScheduler's page of Hadoop shows it. Counts are of one heartbeat. */
final class Health {
  private final SchedulerHealth details = CapacityAnswer.made(SchedulerHealth.class);
  private Resource granted = Resources.createResource(0);
  private Resource reserved = Resources.createResource(0);
  private Resource released = Resources.createResource(0);
  private int grants;
  private int reservations;
  private int releases;

  synchronized SchedulerHealth details() {
    return details;
  }

  synchronized void granted(long now, NodeId node, String queue, Resource resource) {
    details.updateAllocation(now, node, null, queue);
    Resources.addTo(granted, resource);
    grants++;
  }

  synchronized void reserved(long now, NodeId node, String queue, Resource resource) {
    details.updateReservation(now, node, null, queue);
    Resources.addTo(reserved, resource);
    reservations++;
  }

  synchronized void ended(long now, RMContainer container, boolean isPreempted) {
    if (isPreempted) {
      details.updatePreemption(now, container.getAllocatedNode(), container.getContainerId(), container.getQueueName());
    }
    details.updateRelease(now, container.getAllocatedNode(), container.getContainerId(), container.getQueueName());
    Resources.addTo(released, container.getAllocatedResource());
    releases++;
  }

  /** A heartbeat has been worked off: what came since the one before. So many containers were granted. */
  synchronized int heartbeat(long now) {
    int count = grants;
    details.updateSchedulerRunDetails(now, granted, reserved);
    details.updateSchedulerReleaseDetails(now, released);
    details.updateSchedulerAllocationCounts(grants);
    details.updateSchedulerReservationCounts(reservations);
    details.updateSchedulerReleaseCounts(releases);
    granted = Resources.createResource(0);
    reserved = Resources.createResource(0);
    released = Resources.createResource(0);
    grants = 0;
    reservations = 0;
    releases = 0;
    return count;
  }
}

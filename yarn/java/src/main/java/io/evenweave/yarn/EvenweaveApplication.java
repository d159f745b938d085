package io.evenweave.yarn;

import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Queue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;

/** An application, and what the core calls it. */
final class EvenweaveApplication extends SchedulerApplication<EvenweaveAttempt> {
  final ApplicationId id;
  /** As the core numbers it. */
  final int number;
  /** The core has an attempt of it. */
  volatile boolean isInCore;

  EvenweaveApplication(ApplicationId id, int number, Queue queue, String user, Priority priority, boolean unmanaged) {
    super(queue, user, priority, unmanaged);
    this.id = id;
    this.number = number;
  }
}

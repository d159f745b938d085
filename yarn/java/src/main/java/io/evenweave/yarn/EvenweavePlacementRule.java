package io.evenweave.yarn;

import java.io.IOException;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.placement.PlacementRule;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;

/** The one rule that the ResourceManager knows: the core asks all of its own. */
final class EvenweavePlacementRule extends PlacementRule {
  private final EvenweaveScheduler scheduler;

  EvenweavePlacementRule(EvenweaveScheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public boolean initialize(ResourceScheduler of) throws IOException {
    return true;
  }

  @Override
  public ApplicationPlacementContext getPlacementForApp(ApplicationSubmissionContext context, String user) throws YarnException {
    return scheduler.place(context, user);
  }
}

package io.evenweave.yarn;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NMToken;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.UpdateContainerError;
import org.apache.hadoop.yarn.api.records.UpdateContainerRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Allocation;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.util.resource.Resources;

/** Masters call: what they ask for goes to the core, and what they are answered. */
final class Masters {
  private final EvenweaveScheduler scheduler;

  Masters(EvenweaveScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** What the core answers. */
  private static final class Answer {
    final Resource headroom;
    final List<CoreId> preempted;

    Answer(Wire in) {
      headroom = in.readResource();
      preempted = in.readList(in::readContainer);
    }
  }

  /** The answer to asks that have been checked and normalised. */
  Allocation answer(EvenweaveAttempt attempt, List<ResourceRequest> asks, List<String> listed, List<String> takenBack) {
    Set<ContainerId> preempted = attempt.marked();
    Answer answer = scheduler.core.locked(() -> ask(attempt, asks, listed, takenBack));
    if (answer != null) {
      scheduler.containers.addLive(answer.preempted, preempted);
    }
    attempt.updateBlacklist(listed, takenBack);
    List<Container> granted = attempt.pullNewlyAllocatedContainers();
    if (!granted.isEmpty() && !scheduler.countsMasters()) {
      attempt.recordContainerAllocationTime(scheduler.now());
    }
    Resource headroom = answer == null ? Resources.none() : answer.headroom;
    attempt.setHeadroom(headroom);
    attempt.setApplicationHeadroomForMetrics(headroom);
    List<Container> previous = attempt.pullPreviousAttemptContainers();
    List<NMToken> tokens = attempt.pullUpdatedNMTokens();
    return new Allocation(granted, headroom, preempted, null, null, tokens, null, null, attempt.pullNewlyPromotedContainers(),
        attempt.pullNewlyDemotedContainers(), previous, null);
  }

  /** By whoever holds the core's lock. */
  private Answer ask(EvenweaveAttempt attempt, List<ResourceRequest> asks, List<String> listed, List<String> takenBack) {
    if (attempt.isStopped()) {
      return null;
    }
    attempt.updateResourceRequests(asks);
    if (!attempt.isInCore) {
      if (!asks.isEmpty()) {
        scheduler.apps.begin(attempt, asks, listed, false);
      }
      return null;
    }
    try {
      return scheduler.core.ask(out -> Asks.put(out.command(Wire.ALLOCATE).number(attempt.application.number), asks)
          .texts(listed).texts(takenBack), Answer::new);
    } catch (CoreRefusal refusal) {
      if (!refusal.kind.equals("no-am")) {
        EvenweaveScheduler.LOG.error("{}: {}", attempt.getApplicationAttemptId(), refusal.getMessage());
      }
      return null;
    }
  }

  /** An attempt's asks are so many again. */
  void askAgain(EvenweaveAttempt attempt, List<ResourceRequest> asks) {
    if (attempt.isInCore && !asks.isEmpty()) {
      scheduler.core.tellIfThere(out -> Asks.put(out.command(Wire.ASK_AGAIN).number(attempt.application.number), asks));
    }
  }

  /** Containers keep the size and the kind that they have. */
  void refuseUpdates(EvenweaveAttempt attempt, ContainerUpdates updates) {
    if (updates == null) {
      return;
    }
    List<UpdateContainerRequest> all = new ArrayList<>(updates.getIncreaseRequests());
    all.addAll(updates.getDecreaseRequests());
    all.addAll(updates.getPromotionRequests());
    all.addAll(updates.getDemotionRequests());
    for (UpdateContainerRequest request : all) {
      attempt.refuse(UpdateContainerError.newInstance(scheduler.getClass().getSimpleName() + " does not change containers", request));
    }
  }
}

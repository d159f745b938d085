package io.evenweave.yarn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerState;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppRemovedSchedulerEvent;

/** Applications and their attempts come, move and go. */
final class Applications {
  private static final org.slf4j.Logger LOG = EvenweaveScheduler.LOG;
  /** Numbers of applications whose own number another has, after a restart of the ResourceManager. */
  private static final int FIRST_SPARE_NUMBER = 1 << 30;
  /** So many submissions are between their placement and their addition at most; of more the eldest come to nothing. */
  private static final int MOST_PLACED = 10_000;

  private final EvenweaveScheduler scheduler;
  private final Map<Integer, EvenweaveApplication> byNumber = new ConcurrentHashMap<>();
  private int nextSpareNumber = FIRST_SPARE_NUMBER;
  /** The queue that a submission named, until it is added: the rules are asked then once more, and go by that. */
  private final Map<ApplicationId, String> askedFor = Collections.synchronizedMap(new LinkedHashMap<ApplicationId, String>() {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<ApplicationId, String> eldest) {
      return size() > MOST_PLACED;
    }
  });

  Applications(EvenweaveScheduler scheduler) {
    this.scheduler = scheduler;
  }

  EvenweaveApplication get(ApplicationId id) {
    return (EvenweaveApplication) scheduler.getSchedulerApplications().get(id);
  }

  /** The current attempt of the application that the core numbers so; null where there is none. */
  EvenweaveAttempt attempt(int number) {
    EvenweaveApplication application = byNumber.get(number);
    return application == null ? null : application.getCurrentAppAttempt();
  }

  // ------------------------------------------------------------------------------------------------ applications

  /** Where the core's rules put a submission; null where none does. */
  ApplicationPlacementContext place(ApplicationSubmissionContext context, String user) throws YarnException {
    scheduler.users.sendGroups(user);
    String asked = context.getQueue();
    String placed;
    try {
      placed = scheduler.core.ask(out -> out.command(Wire.PLACE).text(user).maybe(asked), Wire::readMaybe);
    } catch (CoreRefusal refusal) {
      throw new YarnException(refusal.getMessage(), refusal);
    }
    if (placed == null) {
      return null;
    }
    askedFor.put(context.getApplicationId(), asked);
    int dot = placed.lastIndexOf('.');
    return dot < 0 ? new ApplicationPlacementContext(placed)
        : new ApplicationPlacementContext(placed.substring(dot + 1), placed.substring(0, dot));
  }

  void add(AppAddedSchedulerEvent event) {
    ApplicationId id = event.getApplicationId();
    String user = event.getUser();
    boolean recovering = event.getIsAppRecovering();
    if (!recovering && event.getPlacementContext() == null && scheduler.needsPlacement()) {
      reject(id, "Reject application " + id + " submitted by user " + user + " application rejected by placement rules.");
      return;
    }
    String asked = askedFor.remove(id);
    String named = recovering || asked == null ? event.getQueue() : asked;
    // Hadoop's mapping may take its time: nobody waits for the core meanwhile.
    scheduler.users.sendGroups(user);
    scheduler.core.lock();
    try {
      RMApp rmApp = scheduler.context().getRMApps().get(id);
      int number = numberFor(id);
      Priority priority = event.getApplicatonPriority();
      List<ResourceRequest> master = rmApp == null || event.isUnmanagedAM() || recovering ? null : rmApp.getAMResourceRequests();
      String leaf;
      try {
        leaf = scheduler.core.ask(out -> Asks.putSubmission(out.command(Wire.ACCEPT), number, user, recovering, named,
            master, null, false, priority, recovering), Wire::readText);
      } catch (CoreRefusal refusal) {
        if (recovering) {
          scheduler.lost(id, named, refusal);
        } else {
          reject(id, scheduler.rejection(id, user, event.getQueue(), refusal));
        }
        return;
      }
      scheduler.queues.mayHaveCome(leaf);
      boolean isNamed = scheduler.isNamedAs(leaf, event.getQueue());
      if (rmApp != null && !isNamed) {
        rmApp.setQueue(leaf);
      }
      EvenweaveQueue queue = scheduler.queues.get(leaf);
      EvenweaveApplication application = new EvenweaveApplication(id, number, queue, user, priority, event.isUnmanagedAM());
      scheduler.getSchedulerApplications().put(id, application);
      byNumber.put(number, application);
      queue.getMetrics().submitApp(user, event.isUnmanagedAM());
      LOG.info("Accepted application {} from user: {}, in queue: {}, currently num of applications: {}", id, user, leaf,
          scheduler.getSchedulerApplications().size());
      if (!recovering) {
        if (rmApp != null && !isNamed && rmApp.getApplicationSubmissionContext() != null) {
          rmApp.getApplicationSubmissionContext().setQueue(leaf);
        }
        scheduler.send(new RMAppEvent(id, RMAppEventType.APP_ACCEPTED));
      }
    } finally {
      scheduler.core.unlock();
    }
  }

  private void reject(ApplicationId id, String message) {
    LOG.info(message);
    scheduler.send(new RMAppEvent(id, RMAppEventType.APP_REJECTED, message));
  }

  /** An application's own number, unless one of an earlier ResourceManager has it. */
  private int numberFor(ApplicationId id) {
    if (id.getId() < FIRST_SPARE_NUMBER && !byNumber.containsKey(id.getId())) {
      return id.getId();
    }
    while (byNumber.containsKey(nextSpareNumber)) {
      nextSpareNumber = nextSpareNumber == Integer.MAX_VALUE ? FIRST_SPARE_NUMBER : nextSpareNumber + 1;
    }
    return nextSpareNumber;
  }

  void remove(AppRemovedSchedulerEvent event) {
    scheduler.core.lock();
    try {
      EvenweaveApplication application = (EvenweaveApplication) scheduler.getSchedulerApplications().remove(event.getApplicationID());
      if (application == null) {
        LOG.warn("Couldn't find application {}", event.getApplicationID());
        return;
      }
      if (application.isInCore) {
        scheduler.core.tellIfThere(out -> out.command(Wire.FINISH).number(application.number));
      }
      byNumber.remove(application.number);
      application.stop(event.getFinalState());
    } finally {
      scheduler.core.unlock();
    }
  }

  /** A queue that nobody has configured is not empty while an application has been accepted into it that the core does not know yet. */
  void keepQueues() {
    byNumber.values().stream().filter(application -> !application.isInCore).forEach(application -> {
      try {
        scheduler.queues.mayHaveCome(scheduler.core.ask(out -> Asks.putSubmission(out.command(Wire.ACCEPT), application, null, null, false,
            false), Wire::readText));
      } catch (CoreRefusal refusal) {
        LOG.debug("{} has no queue: {}", application.id, refusal.getMessage());
      }
    });
  }

  // ------------------------------------------------------------------------------------------------ moves

  private EvenweaveApplication toMove(ApplicationId id) throws YarnException {
    EvenweaveApplication application = get(id);
    if (application == null) {
      throw new YarnException("App to be moved " + id + " not found.");
    }
    return application;
  }

  void mayMove(ApplicationId id, String queue) throws YarnException {
    toMove(id);
    ShownQueue target = scheduler.queues.find(queue);
    if (target == null || !target.leaf) {
      throw new YarnException("Target queue " + queue + " not found or is not a leaf queue.");
    }
  }

  String move(ApplicationId id, String queue) throws YarnException {
    scheduler.core.lock();
    try {
      EvenweaveApplication application = toMove(id);
      mayMove(id, queue);
      EvenweaveAttempt attempt = application.getCurrentAppAttempt();
      if (attempt != null && attempt.isStopped()) {
        throw new YarnException("Application " + id + " is stopped and can't be moved!");
      }
      EvenweaveQueue target = scheduler.queues.get(scheduler.queues.find(queue).name);
      if (target == application.getQueue() && !scheduler.movesWithinQueue()) {
        return target.getQueueName();
      }
      if (application.isInCore) {
        scheduler.core.tell(out -> out.command(Wire.MOVE).number(application.number).text(target.getQueueName()));
      }
      if (attempt != null) {
        attempt.move(target);
      }
      application.setQueue(target);
      scheduler.queues.changed();
      return target.getQueueName();
    } catch (CoreRefusal refusal) {
      throw new YarnException(refusal.getMessage(), refusal);
    } finally {
      scheduler.core.unlock();
    }
  }

  // ------------------------------------------------------------------------------------------------ attempts

  void addAttempt(AppAttemptAddedSchedulerEvent event) {
    ApplicationAttemptId id = event.getApplicationAttemptId();
    scheduler.core.lock();
    try {
      EvenweaveApplication application = get(id.getApplicationId());
      if (application == null) {
        LOG.warn("Application {} cannot be found in scheduler.", id.getApplicationId());
        return;
      }
      EvenweaveQueue queue = (EvenweaveQueue) application.getQueue();
      boolean keeps = event.getTransferStateFromPreviousAttempt();
      EvenweaveAttempt attempt = new EvenweaveAttempt(scheduler, application, id, queue, scheduler.usersOf(queue), keeps,
          scheduler.context());
      attempt.recovering(event.getIsAttemptRecovering());
      if (scheduler.countsMasters()) {
        attempt.setAMResource(RMNodeLabelsManager.NO_LABEL, masterOf(id.getApplicationId()).get(0).getCapability());
      }
      attempt.setPriority(application.getPriority());
      if (keeps && application.getCurrentAppAttempt() != null) {
        attempt.transferStateFromPreviousAttempt(application.getCurrentAppAttempt());
      }
      application.setCurrentAppAttempt(attempt);
      queue.getMetrics().submitAppAttempt(application.getUser(), application.isUnmanagedAM());
      LOG.info("Added Application Attempt {} to scheduler from user: {}", id, application.getUser());
      if (!attempt.isManaged()) {
        begin(attempt, null, null, false);
      } else if (event.getIsAttemptRecovering()) {
        begin(attempt, masterOf(id.getApplicationId()), null, true);
      }
      if (!event.getIsAttemptRecovering()) {
        scheduler.send(new RMAppAttemptEvent(id, RMAppAttemptEventType.ATTEMPT_ADDED));
      }
    } finally {
      scheduler.core.unlock();
    }
  }

  /** What was asked for the master of an application that was accepted before. */
  private List<ResourceRequest> masterOf(ApplicationId id) {
    RMApp rmApp = scheduler.context().getRMApps().get(id);
    List<ResourceRequest> asked = rmApp == null ? null : rmApp.getAMResourceRequests();
    return asked != null && !asked.isEmpty() ? asked : Collections.singletonList(ResourceRequest.newInstance(
        Priority.newInstance(0), ResourceRequest.ANY, scheduler.getMinimumResourceCapability(), 1));
  }

  /** The core begins an attempt: with what is asked for its master. Under the core's lock. */
  void begin(EvenweaveAttempt attempt, List<ResourceRequest> master, List<String> blacklist, boolean masterRuns) {
    EvenweaveApplication application = attempt.application;
    attempt.awaits(masterRuns ? null : master);
    try {
      if (application.isInCore) {
        scheduler.core.tell(out -> Asks.putMaster(out.command(Wire.NEW_ATTEMPT).number(application.number).flag(attempt.keepsContainers),
            master, blacklist, masterRuns));
      } else {
        scheduler.core.ask(out -> Asks.putSubmission(out.command(Wire.SUBMIT), application, master, blacklist, masterRuns,
            attempt.isRecovered), Wire::readText);
        application.isInCore = true;
      }
      attempt.isInCore = true;
    } catch (CoreRefusal refusal) {
      LOG.error("{} gets no containers: {}", attempt.getApplicationAttemptId(), refusal.getMessage());
    }
  }

  void removeAttempt(AppAttemptRemovedSchedulerEvent event) {
    ApplicationAttemptId id = event.getApplicationAttemptID();
    LOG.info("Application Attempt {} is done. finalState={}", id, event.getFinalAttemptState());
    scheduler.core.lock();
    try {
      EvenweaveAttempt attempt = scheduler.getApplicationAttempt(id);
      if (attempt == null || attempt.isStopped()) {
        LOG.info("Unknown application attempt, or one that has been stopped before: {}", id);
        return;
      }
      scheduler.containers.endTogether(attempt, () -> {
        for (RMContainer container : attempt.getLiveContainers()) {
          if (event.getKeepContainersAcrossAppAttempts() && container.getState() == RMContainerState.RUNNING) {
            LOG.info("Skip killing {}", container.getContainerId());
            continue;
          }
          scheduler.completedContainer(container, SchedulerUtils.createAbnormalContainerStatus(container.getContainerId(),
              SchedulerUtils.COMPLETED_APPLICATION), RMContainerEventType.KILL);
        }
      });
      attempt.getReservedContainers().forEach(container ->
          scheduler.containers.unreserve(scheduler.getSchedulerNode(container.getReservedNode())));
      // What it is to the core goes on with the next attempt, or ends with the application: nothing is asked for any more.
      if (attempt.isInCore) {
        List<ResourceRequest> none = attempt.takenBack();
        scheduler.core.tellIfThere(out -> Asks.put(out.command(Wire.STOP_ATTEMPT).number(attempt.application.number), none));
      }
      attempt.stop(event.getFinalAttemptState());
      attempt.asksNoMore();
    } finally {
      scheduler.core.unlock();
    }
  }

  /** Of a queue, or of those below it. */
  List<ApplicationAttemptId> in(ShownQueue queue) {
    List<ApplicationAttemptId> found = new ArrayList<>();
    scheduler.getSchedulerApplications().values().forEach(application -> {
      String of = application.getQueue().getQueueName();
      EvenweaveAttempt attempt = application.getCurrentAppAttempt();
      if (attempt != null && !attempt.isStopped() && (of.equals(queue.name) || of.startsWith(queue.name + "."))) {
        found.add(attempt.getApplicationAttemptId());
      }
    });
    return found;
  }
}

package evenweave.peers;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptImpl;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.YarnScheduler;

/** An application with an unmanaged AM as the schedulers look it up; its state machine is left out and stays where it began. */
final class IdleApp extends RMAppImpl {
  static final String USER = "user";
  private static final long SAME_CLUSTER = 1;

  private final RMAppAttempt attempt;

  private IdleApp(ApplicationSubmissionContext submission, RMContext context, Configuration conf, YarnScheduler scheduler) {
    super(submission.getApplicationId(), context, conf, submission.getApplicationName(), USER, submission.getQueue(), submission,
        scheduler, null, 0, "workload", null, null, new ApplicationPlacementContext(submission.getQueue()), 0);
    ApplicationAttemptId id = ApplicationAttemptId.newInstance(submission.getApplicationId(), 1);
    attempt = new RMAppAttemptImpl(id, context, scheduler, null, submission, conf, List.of(), this);
  }

  static IdleApp make(int number, String queue, RMContext context, Configuration conf, YarnScheduler scheduler) {
    ApplicationId id = ApplicationId.newInstance(SAME_CLUSTER, number + 1);
    boolean unmanaged = true;
    Resource noMaster = Resource.newInstance(1_024, 1);
    ApplicationSubmissionContext submission = ApplicationSubmissionContext.newInstance(id, "app " + number, queue,
        Priority.newInstance(0), null, unmanaged, false, 1, noMaster);
    return new IdleApp(submission, context, conf, scheduler);
  }

  /** The number that the application was made with. */
  static int number(ApplicationId id) {
    return id.getId() - 1;
  }

  @Override
  public RMAppAttempt getCurrentAppAttempt() {
    return attempt;
  }
}

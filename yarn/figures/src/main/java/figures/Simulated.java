package figures;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmissionData;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmitter;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.utils.BuilderUtils;

/** What the programs here simulate alike. */
final class Simulated {
  /** Applications whose masters run outside the cluster, and have registered. */
  static List<MockAM> masters(MockRM rm, int count, IntFunction<String> queueOf) throws Exception {
    List<RMApp> apps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String queue = queueOf.apply(i);
      apps.add(UserGroupInformation.createRemoteUser("ann").doAs((java.security.PrivilegedExceptionAction<RMApp>) () ->
          MockRMAppSubmitter.submit(rm, MockRMAppSubmissionData.Builder.createWithMemory(1024, rm).withQueue(queue).withUser("ann")
              .withUnmanagedAM(true).withWaitForAppAcceptedState(false).build())));
    }
    List<MockAM> masters = new ArrayList<>();
    for (RMApp app : apps) {
      while (app.getCurrentAppAttempt() == null || app.getCurrentAppAttempt().getState() != RMAppAttemptState.LAUNCHED) {
        sleep(2);
      }
      MockAM master = new MockAM(rm.getRMContext(), rm.getApplicationMasterService(), app.getCurrentAppAttempt().getAppAttemptId());
      master.registerAppAttempt(false);
      masters.add(master);
    }
    return masters;
  }

  static ContainerStatus status(ContainerId id, ContainerState state) {
    return BuilderUtils.newContainerStatus(id, state, "", 0, Resource.newInstance(0, 0));
  }

  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private Simulated() {}
}

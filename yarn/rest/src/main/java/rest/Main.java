package rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.servlet.http.HttpServletRequest;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.*;
import org.apache.hadoop.yarn.server.router.webapp.DefaultRequestInterceptorREST;
import org.codehaus.jettison.json.JSONObject;
import org.apache.hadoop.yarn.server.webapp.dao.ContainersInfo;

/** Main HOST:PORT fair|capacity NODES : reads each answer of a server over a simulated cluster, and writes to it. Ends with 0 where Hadoop's classes read all. */
public final class Main {
  private static final String USER = "dr.who";
  private int read;
  private final List<String> failed = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    Main main = new Main();
    main.run(arguments[0], arguments[1].equals("fair"), Integer.parseInt(arguments[2]));
    System.out.println(main.read + " answers read, " + main.failed.size() + " not");
    System.exit(main.failed.isEmpty() ? 0 : 1);
  }

  /** Runs one question, and says what became of it. */
  private <T> T ask(String what, Callable<T> question) {
    try {
      T answer = question.call();
      if (answer == null) {
        throw new IllegalStateException("nothing was read");
      }
      read++;
      System.out.println("  read    " + what + ": " + answer.getClass().getSimpleName());
      return answer;
    } catch (Throwable e) {
      failed.add(what);
      System.out.println("  FAILED  " + what + ": " + e);
      Throwable cause = e.getCause();
      if (cause != null) {
        System.out.println("          " + cause);
      }
      return null;
    }
  }

  private void hold(String what, boolean holds) {
    ask(what, () -> holds ? "holds" : null);
  }

  /** Whether enough runs for the questions to be about something. */
  private static boolean busy(DefaultRequestInterceptorREST router) throws Exception {
    AppsInfo apps = router.getApps(Router.request(USER, "states", "RUNNING"), null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    return apps.getApps().stream().filter(app -> app.getRunningContainers() > 1).count() > 3;
  }

  private void run(String address, boolean fair, int nodes) throws Exception {
    var router = new Router(address, USER).client;
    var json = new Json(address);
    HttpServletRequest plain = Router.request(USER);

    for (int i = 0; i < 300 && !busy(router); i++) {
      Thread.sleep(100);
    }
    System.out.println("== as YARN's Router: XML");
    ClusterInfo info = ask("info", router::getClusterInfo);
    ClusterMetricsInfo metrics = ask("metrics", router::getClusterMetricsInfo);
    ask("scheduler", router::getSchedulerInfo);
    NodesInfo listed = ask("nodes", () -> router.getNodes(null));
    ask("nodes?states=RUNNING", () -> router.getNodes("RUNNING"));
    String node = listed.getNodes().get(0).getNodeId();
    ask("nodes/" + node, () -> router.getNode(node));
    AppsInfo apps = ask("apps", () -> router.getApps(plain, null, null, null, null, null, null, null, null, null, null, null, null, null, null));
    HttpServletRequest running = Router.request(USER, "states", "RUNNING", "limit", "20");
    AppsInfo few = ask("apps?states=RUNNING&limit=20", () -> router.getApps(running, null, null, null, null, null, null, null, null, null, null, null, null, null, null));
    ask("appstatistics", () -> router.getAppStatistics(plain, null, null));
    AppInfo app = few.getApps().stream().filter(one -> one.getRunningContainers() > 1).findFirst().orElseThrow();
    String id = app.getAppId();
    ask("apps/" + id, () -> router.getApp(plain, id, Set.of()));
    ask("its state", () -> router.getAppState(plain, id));
    ask("its queue", () -> router.getAppQueue(plain, id));
    ask("its priority", () -> router.getAppPriority(plain, id));
    ask("its timeouts", () -> router.getAppTimeouts(plain, id));
    ask("its timeout LIFETIME", () -> router.getAppTimeout(plain, id, "LIFETIME"));
    AppAttemptsInfo attempts = ask("its attempts", () -> router.getAppAttempts(plain, id));
    String attempt = attempts.getAttempts().get(0).getAppAttemptId();
    ask("attempt " + attempt, () -> router.getAppAttempt(plain, Router.ANSWER, id, attempt));
    ContainersInfo containers = ask("its containers", () -> router.getContainers(plain, Router.ANSWER, id, attempt));
    String container = containers.getContainers().get(0).getContainerId();
    ask("container " + container, () -> router.getContainer(plain, Router.ANSWER, id, attempt, container));
    ask("access to root", () -> router.checkUserAccessToQueue("root", USER, "SUBMIT_APPLICATIONS", Router.request(USER, "user", USER)));
    ask("activities", () -> router.getActivities(plain, null, null));
    ask("app-activities", () -> router.getAppActivities(plain, id, null, null, null, null, null, null, false));
    if (!fair) {
      ask("bulk-activities", () -> router.getBulkActivities(Router.request(USER, "activitiesCount", "2"), null, 2));
    }
    ask("userinfo", () -> router.getClusterUserInfo(plain));
    ask("partitions", () -> router.getRMNodeLabels(plain));
    ask("node labels", () -> router.getClusterNodeLabels(plain));
    ask("labels of nodes", () -> router.getNodeToLabels(plain));
    ask("nodes of labels", () -> router.getLabelsToNodes(null));
    ask("labels of " + node, () -> router.getLabelsOnNode(plain, node));
    ask("scheduler-conf is refused", () -> Router.expect(400, router.getSchedulerConfiguration(plain)));

    System.out.println("== what was read is what there is");
    hold("the cluster is up", info.getState().equals("STARTED"));
    hold("all nodes are there", listed.getNodes().size() == nodes && metrics.getActiveNodes() == nodes);
    hold("containers run", metrics.getContainersAllocated() > 0 && app.getRunningContainers() > 0);
    hold("applications are listed", apps.getApps().size() >= few.getApps().size() && few.getApps().size() > 1);

    System.out.println("== as a client of JSON");
    ask("info", () -> json.get("/info", ClusterInfo.class));
    ask("metrics", () -> json.get("/metrics", ClusterMetricsInfo.class));
    ask("scheduler", () -> json.get("/scheduler", SchedulerTypeInfo.class));
    NodesInfo nodesInJson = ask("nodes", () -> json.get("/nodes", NodesInfo.class));
    ask("nodes/" + node, () -> json.get("/nodes/" + node, NodeInfo.class));
    ask("apps", () -> json.get("/apps", AppsInfo.class));
    ask("apps/" + id, () -> json.get("/apps/" + id, AppInfo.class));
    ask("its attempts", () -> json.get("/apps/" + id + "/appattempts", AppAttemptsInfo.class));
    ask("its timeouts", () -> json.get("/apps/" + id + "/timeouts", AppTimeoutsInfo.class));
    ask("appstatistics", () -> json.get("/appstatistics", ApplicationStatisticsInfo.class));
    ask("activities", () -> json.get("/scheduler/activities", ActivitiesInfo.class));
    hold("nodes are the same in both", nodesInJson.getNodes().size() == nodes);

    System.out.println("== writing as YARN's Router");
    ask("a move", () -> Router.expect(200, router.updateAppQueue(new AppQueue(app.getQueue()), plain, id)));
    AppPriority priority = new AppPriority(3);
    ask(fair ? "a priority is refused" : "a priority", () -> Router.expect(fair ? 503 : 200, router.updateApplicationPriority(priority, plain, id)));
    ask("a kill", () -> Router.expect(202, router.updateAppState(new AppState("KILLED"), plain, id)));
    for (int i = 0; i < 100 && !router.getAppState(plain, id).getState().equals("KILLED"); i++) {
      Thread.sleep(100);
    }
    hold("the application is killed", router.getAppState(plain, id).getState().equals("KILLED"));
    ask("a kill of the killed", () -> Router.expect(200, router.updateAppState(new AppState("KILLED"), plain, id)));
    if (fair) {
      reserve(router);
    }
  }

  /** A reservation in the queue `root.plan`, from its name to its end. */
  private void reserve(DefaultRequestInterceptorREST router) throws Exception {
    HttpServletRequest plain = Router.request(USER);
    String id = ask("a name for a reservation", () -> new JSONObject(Router.expect(200, router.createNewReservation(plain))).getString("reservation-id"));
    long now = System.currentTimeMillis();
    ask("a reservation", () -> {
      ReservationSubmissionRequestInfo request = new ReservationSubmissionRequestInfo();
      request.setQueue("root.plan");
      request.setReservationId(id);
      request.setReservationDefinition(definition(now + 60_000, 2));
      return "answered" + Router.expect(202, router.submitReservation(request, plain));
    });
    ask("a change of it", () -> {
      ReservationUpdateRequestInfo request = new ReservationUpdateRequestInfo();
      request.setReservationId(id);
      request.setReservationDefinition(definition(now + 60_000, 3));
      return "answered" + Router.expect(200, router.updateReservation(request, plain));
    });
    HttpServletRequest list = Router.request(USER, "queue", "root.plan", "reservation-id", id, "include-resource-allocations", "true");
    String listed = ask("its list", () -> Router.expect(200, router.listReservation("root.plan", id, 0, 0, true, list)));
    hold("the list has it", listed != null && listed.contains(id));
    ask("its end", () -> {
      ReservationDeleteRequestInfo request = new ReservationDeleteRequestInfo();
      request.setReservationId(id);
      return "answered" + Router.expect(200, router.deleteReservation(request, plain));
    });
  }

  private static ReservationDefinitionInfo definition(long arrival, int containers) {
    ResourceInfo size = new ResourceInfo(Resource.newInstance(1024, 1));
    ReservationRequestInfo stage = new ReservationRequestInfo();
    stage.setCapability(size);
    stage.setMinConcurrency(1);
    stage.setNumContainers(containers);
    stage.setDuration(60_000);
    ReservationRequestsInfo stages = new ReservationRequestsInfo();
    stages.setReservationRequestsInterpreter(1);
    stages.setReservationRequest(new ArrayList<>(List.of(stage)));
    ReservationDefinitionInfo definition = new ReservationDefinitionInfo();
    definition.setArrival(arrival);
    definition.setDeadline(arrival + 3_600_000);
    definition.setReservationName("nightly");
    definition.setReservationRequests(stages);
    return definition;
  }
}

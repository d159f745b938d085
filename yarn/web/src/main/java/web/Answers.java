package web;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** REST and JMX of one state, key by key. */
final class Answers {
  /** What differs from run to run: times, and sums over time. */
  private static final String RUNS = ".*(Time|time|elapsed|Seconds|memorySeconds|vcoreSeconds|lastHealthUpdate|startedOn|hadoop|resourceManager|"
      + "rmStateStore|\\.id|haZoo|running_\\d+|EventQueueSize|PerSecond|lastrun|rmSchedulerBusy|amContainerLogs|trackingU|Hostname|"
      + "nodeHTTPAddress|progress|diagnostics|Interval|LastOp|totalPhysical|RmEventProc|appAttemptId|logsLink)[^.]*";
  /**
   * Sums over time by type of resource; Hadoop's own way to count, of offers and commits, and
   * how the last one went; and what AMs may use in a FairScheduler, which Hadoop shows as it was when it last looked at an AM's container.
   */
  private static final String PASSES = ".*(amMaxResources\\.|MaxAMShare|resourceSecondsMap\\.|CapacitySchedulerMetrics|FSOpDurations|health\\.|JvmMetrics|RpcActivity|UgiMetrics).*";

  static void run(Pair pair) throws Exception {
    pair.both("full", Map.of(), manager -> {
      Node n1 = new Node(manager, "n1", 8192, 8).register();
      Node n2 = new Node(manager, "n2", 4096, 4).register();
      look(pair, manager, "empty");
      ApplicationId killed = manager.as("bob", client -> Master.submit(client, "b", "x", ""));
      manager.as("root", client -> {
        client.killApplication(killed);
        return null;
      });
      Master done = new Master(manager, "alice", "a");
      done.beat(Master.ask(1, 1024, 2, ""));
      done.await(2, n1, n2);
      done.finish();
      n1.beat();
      n2.beat();
      Master runs = new Master(manager, "alice", "a");
      runs.beat(Master.ask(1, 1024, 4, ""));
      runs.await(4, n1);
      Master waits = new Master(manager, "bob", "b");
      waits.beat(Master.ask(2, 1024, 1, ""));
      waits.await(1, n2);
      // It gets one, and the rest waits for room that is not there.
      runs.beat(Master.ask(3, 5120, 2, ""));
      n1.beat();
      n2.beat();
      runs.beat();
      waits.beat();
      look(pair, manager, "full");
      pair.says("apps of a queue that is not there", text(manager.get("/ws/v1/cluster/apps?queue=nowhere")));
      pair.says("XML", manager.ask("GET", "/ws/v1/cluster/scheduler", Map.of("Accept", "application/xml"), "").headers()
          .firstValue("Content-Type").orElse(""));
      for (String path : List.of("/cluster/scheduler", "/cluster/apps", "/cluster/nodes")) {
        pair.says(path, "" + manager.ask("GET", path, Map.of("Accept", "text/html"), "").statusCode());
      }
    });
  }

  private static void look(Pair pair, Manager manager, String state) throws Exception {
    // The FairScheduler's shares are of its last update, and JMX is up to a second old.
    Thread.sleep(2500);
    for (String path : List.of("scheduler", "metrics", "apps", "nodes", "scheduler-overview", "appstatistics", "info",
        "reservation/list?queue=a", "apps?deSelects=resourceRequests", "apps?states=RUNNING", "apps?deSelects=resourceInfo")) {
      HttpResponse<String> answer = manager.get("/ws/v1/cluster/" + path);
      pair.says(state + " " + path, "" + answer.statusCode());
      if (answer.statusCode() == 200) {
        keyByKey(pair, state + " " + path, Jmx.json(answer.body()));
      }
    }
    Jmx.beans(manager).forEach((name, bean) -> {
      if (name.matches("(Partition)?QueueMetrics.*|FSOpDurations|CapacitySchedulerMetrics|ClusterMetrics")) {
        keyByKey(pair, state + " jmx " + name, bean);
      }
    });
  }

  private static String text(HttpResponse<String> of) {
    return of.statusCode() + " " + of.body().replaceAll("\\s+", " ");
  }

  private static void keyByKey(Pair pair, String what, JsonNode tree) {
    Map<String, String> flat = new TreeMap<>();
    flatten("", tree, flat);
    flat.forEach((key, value) -> {
      String whole = what + " " + key;
      pair.says(whole, whole.matches(RUNS) || whole.matches(PASSES) ? "(is there)"
          : value.replaceAll("(application|container|appattempt)_\\d+", "$1")
              .replaceAll("(Evenweave)?(Fair|Capacity) ?Scheduler", "$2Scheduler").replaceAll("\\d{10,18}$", "TIME"));
    });
  }

  private static void flatten(String path, JsonNode tree, Map<String, String> to) {
    if (tree.isObject()) {
      tree.fields().forEachRemaining(field -> flatten(path + "." + field.getKey(), field.getValue(), to));
    } else if (tree.isArray()) {
      for (int i = 0; i < tree.size(); i++) {
        // By what it is, where that is said: Hadoop lists much of it in the order of a hash.
        String name = "" + i;
        for (String key : List.of("name", "queueName", "username", "partitionName", "operation", "accessType", "id", "state")) {
          JsonNode named = tree.get(i).get(key);
          if (named != null && (!key.equals("state") || tree.get(i).has("count"))) {
            name = named.asText().replaceAll("^application_\\d+_", "");
          }
        }
        flatten(path + "[" + name + "]", tree.get(i), to);
      }
      if (tree.isEmpty()) {
        to.put(path, "[]");
      }
    } else {
      to.put(path, tree.asText());
    }
  }

  private Answers() {}
}

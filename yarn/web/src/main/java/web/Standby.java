package web;

import java.net.http.HttpResponse;
import java.util.Map;
import java.util.TreeMap;

/** A standby ResourceManager knows nothing of the cluster: whoever asks it is sent on, as with Hadoop's class. */
final class Standby {
  static void run(Pair pair) throws Exception {
    Map<String, String> pairOfManagers = new TreeMap<>(Map.of("yarn.resourcemanager.ha.enabled", "true", "yarn.resourcemanager.cluster-id", "c",
        "yarn.resourcemanager.ha.rm-ids", "rm1,rm2", "yarn.resourcemanager.ha.id", "rm1",
        "yarn.resourcemanager.ha.automatic-failover.enabled", "false"));
    // The other one is nowhere.
    for (String address : new String[] {"address", "scheduler.address", "resource-tracker.address", "admin.address", "webapp.address"}) {
      pairOfManagers.put("yarn.resourcemanager." + address + ".rm1", "localhost:" + Manager.port());
      pairOfManagers.put("yarn.resourcemanager." + address + ".rm2", "localhost:" + Manager.port());
    }
    pairOfManagers.put("yarn.resourcemanager.webapp.address", pairOfManagers.get("yarn.resourcemanager.webapp.address.rm1"));
    pair.both("standby", pairOfManagers, manager -> {
      for (String path : new String[] {"info", "scheduler", "metrics", "apps", "nodes"}) {
        HttpResponse<String> answer = manager.get("/ws/v1/cluster/" + path);
        String body = path.equals("info") ? "" : answer.body().replaceAll("\\s+", " ").replaceAll("next \\d+ seconds", "next while")
            .replaceAll("localhost:\\d+", "HERE");
        pair.says(path, answer.statusCode() + " " + body);
      }
    });
  }

  private Standby() {}
}

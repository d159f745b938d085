package web;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Priority;

/** After a write the next read sees it; what is not supported is refused, and logged, as with Hadoop's class. */
final class Reads {
  static void run(Pair pair) throws Exception {
    pair.both("moves", Map.of(), manager -> {
      Node n1 = new Node(manager, "n1", 8192, 8).register();
      Master master = new Master(manager, "alice", "b");
      master.beat(Master.ask(1, 1024, 3, ""));
      master.await(3, n1);
      for (int i = 0; i < 6; i++) {
        String to = i % 2 == 0 ? "a" : "b";
        manager.as("alice", client -> {
          client.moveApplicationAcrossQueues(master.id, to);
          return null;
        });
        // At once: by REST, by the next write's answer, and by remote call.
        JsonNode tree = Jmx.json(manager.get("/ws/v1/cluster/scheduler").body());
        pair.says("move " + i, queue(tree, "a") + " " + queue(tree, "b"));
        pair.says("queue after move " + i, manager.as("root", client -> {
          var statistics = client.getQueueInfo(pair.kind.equals("fair") ? "root." + to : to).getQueueStatistics();
          return statistics.getAllocatedContainers() + " " + statistics.getAllocatedMemoryMB();
        }));
      }
      priority(pair, manager, master.id);
      master.finish();
      n1.beat();
      JsonNode tree = Jmx.json(manager.get("/ws/v1/cluster/scheduler").body());
      pair.says("after the end", queue(tree, "a") + " " + queue(tree, "b"));
    });
  }

  private static void priority(Pair pair, Manager manager, ApplicationId id) throws Exception {
    String changed;
    try {
      changed = manager.as("alice", client -> client.updateApplicationPriority(id, Priority.newInstance(3))).toString();
    } catch (Exception e) {
      changed = e.getClass().getName() + " " + e.getMessage().split("\n")[0];
    }
    pair.says("a priority by remote call", changed);
    HttpResponse<String> answer = manager.ask("PUT", "/ws/v1/cluster/apps/" + id + "/priority?user.name=alice", Map.of(), "{\"priority\":4}");
    pair.says("a priority by REST", answer.statusCode() + " " + answer.body().replaceAll("\\s+", " "));
    List<String> audit = Files.readAllLines(manager.folder.resolve("log.txt")).stream().filter(line -> line.contains("RMAuditLogger")
        && line.contains("Priority")).map(line -> line.replaceAll("^.*RMAuditLogger: ", "").replaceAll("application_\\d+_\\d+", "ID")).toList();
    pair.says("audit lines of priorities", audit.toString());
  }

  /** What a queue shows of its containers, wherever it is in the tree. */
  private static String queue(JsonNode tree, String name) {
    JsonNode found = find(tree, name);
    JsonNode used = found.has("usedResources") ? found.get("usedResources") : found.get("resourcesUsed");
    return name + " " + found.get("allocatedContainers") + " " + used.get("memory") + " " + used.get("vCores");
  }

  private static JsonNode find(JsonNode tree, String name) {
    JsonNode said = tree.get("queueName");
    if (said != null && (said.asText().equals(name) || said.asText().equals("root." + name))) {
      return tree;
    }
    for (JsonNode child : tree) {
      JsonNode found = find(child, name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private Reads() {}
}

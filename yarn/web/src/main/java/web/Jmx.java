package web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The beans of a ResourceManager, as {@code /jmx} shows them. */
final class Jmx {
  static final String PREFIX = "Hadoop:service=ResourceManager,name=";
  private static final ObjectMapper READER = new ObjectMapper();
  /** Of what is there and waits: nothing of it may be left when nothing is there and nobody waits. */
  private static final List<String> GAUGES = List.of("AllocatedMB", "AllocatedVCores", "AllocatedContainers", "PendingMB", "PendingVCores",
      "PendingContainers", "ReservedMB", "ReservedVCores", "ReservedContainers", "ActiveUsers", "ActiveApplications", "AppsRunning",
      "AppsPending", "UnmanagedAppsRunning", "UnmanagedAppsPending", "UsedAMResourceMB", "UsedAMResourceVCores", "AmResourceUsageMB",
      "AmResourceUsageVCores");

  /** The beans that the ResourceManager's own metrics are in, by name. */
  static Map<String, JsonNode> beans(Manager manager) throws Exception {
    Map<String, JsonNode> beans = new TreeMap<>();
    for (JsonNode bean : READER.readTree(manager.get("/jmx").body()).get("beans")) {
      String name = bean.get("name").asText();
      if (name.startsWith(PREFIX)) {
        beans.put(name.substring(PREFIX.length()), bean);
      }
    }
    return beans;
  }

  static JsonNode json(String text) throws Exception {
    return READER.readTree(text);
  }

  /** What is not 0 in the metrics of any queue, user or partition, with nothing running and nobody waiting. */
  static String left(Manager manager) throws Exception {
    Manager.until(() -> leftNow(manager).isEmpty());
    return leftNow(manager);
  }

  private static String leftNow(Manager manager) throws Exception {
    List<String> left = new ArrayList<>();
    beans(manager).forEach((name, bean) -> GAUGES.forEach(gauge -> {
      JsonNode value = bean.get(gauge);
      if (name.contains("QueueMetrics") && value != null && value.asLong() != 0) {
        left.add(name + " " + gauge + "=" + value);
      }
    }));
    return String.join(", ", left);
  }

  private Jmx() {}
}

package web;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.client.cli.RMAdminCLI;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;

/** With node labels switched on: the FairScheduler refuses asks with a label, and the CapacityScheduler's class does not start. */
final class Labels {
  private static final String ENABLED = "yarn.node-labels.enabled";

  static void run(Pair pair) throws Exception {
    if (pair.kind.equals("fair")) {
      pair.both("asks", labels(pair.folder("asks-labels")), manager -> asks(pair, manager));
      takenOver(pair);
    } else {
      refused(pair);
    }
  }

  private static Map<String, String> labels(Path store) {
    return Map.of(ENABLED, "true", "yarn.node-labels.fs-store.root-dir", store.toUri().toString());
  }

  /** n1 has the label x, n2 none. */
  private static void labelNode(Manager manager) throws Exception {
    post(manager, "/add-node-labels", "{\"nodeLabelInfo\":[{\"name\":\"x\",\"exclusivity\":true}]}");
    post(manager, "/nodes/n1:4321/replace-labels?labels=x", "");
  }

  private static void post(Manager manager, String path, String body) throws Exception {
    HttpResponse<String> answer = manager.ask("POST", "/ws/v1/cluster" + path + (path.contains("?") ? "&" : "?") + "user.name=root", Map.of(), body);
    if (answer.statusCode() / 100 != 2) {
      throw new IllegalStateException(path + ": " + answer.statusCode() + " " + answer.body());
    }
  }

  private static void asks(Pair pair, Manager manager) throws Exception {
    Node n1 = new Node(manager, "n1", 4096, 4).register();
    Node n2 = new Node(manager, "n2", 4096, 4).register();
    labelNode(manager);
    pair.says("a master in nodes with a label", problem(() -> manager.as("alice", client -> Master.submit(client, "a", "x", "x"))));
    Master master = new Master(manager, "alice", "a");
    for (String label : List.of("x", "y")) {
      pair.says("an ask for " + label, problem(() -> master.beat(Master.ask(1, 256, 3, label))));
    }
    // The ask that was refused counts for nothing, and what is asked for without a label comes, from either node.
    master.beat(Master.ask(2, 1024, 6, ""));
    pair.says("pending of six", pending(manager));
    master.await(6, n1, n2);
    pair.is("[n1:4321, n2:4321]", master.got.stream().map(container -> container.getNodeId().toString()).sorted().distinct().toList().toString(),
        "the nodes of six containers");
    pair.says("pending of none", pending(manager));
    master.finish();
    n1.beat();
    n2.beat();
    pair.is("", Jmx.left(manager), "what is left in metrics");
  }

  /** A container and an application of a CapacityScheduler with labels, taken over by the FairScheduler's class: the books come out at nothing. */
  private static void takenOver(Pair pair) throws Exception {
    Path folder = pair.folder("taken-over");
    Map<String, String> properties = new TreeMap<>(labels(folder.resolve("labels")));
    properties.put("yarn.resourcemanager.recovery.enabled", "true");
    properties.put("yarn.resourcemanager.store.class", "org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore");
    properties.put("yarn.resourcemanager.fs.state-store.uri", folder.resolve("state").toUri().toString());
    properties.put("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "500");
    properties.put("yarn.scheduler.capacity.root.accessible-node-labels.x.capacity", "100");
    properties.put("yarn.scheduler.capacity.root.b.accessible-node-labels.x.capacity", "100");
    Master master;
    try (Manager manager = Manager.start(folder, "capacity", Pair.HADOOPS_CAPACITY, properties)) {
      Node n1 = new Node(manager, "n1", 4096, 4).register();
      labelNode(manager);
      properties.putAll(manager.addresses());
      master = new Master(manager, "alice", "b");
      master.beat(Master.ask(1, 256, 2, "x"));
      master.await(2, n1);
    }
    try (Manager manager = Manager.start(folder, "fair", pair.other(), properties)) {
      Node n1 = new Node(manager, "n1", 4096, 4).register(master.got.stream().map(Labels::runs).toArray(NMContainerStatus[]::new));
      pair.is("2", settled(manager, "2"), "containers that are taken over");
      master.register();
      master.beat(List.of(), List.of(master.got.get(0).getId()));
      n1.beat();
      pair.is("1", settled(manager, "1"), "containers after one was given back");
      n1.ends(master.got.get(1).getId());
      n1.beat();
      pair.is("0", settled(manager, "0"), "containers after the other has ended");
      master.finish();
      pair.is("", Jmx.left(manager), "what is left in metrics");
    }
  }

  private static NMContainerStatus runs(Container container) {
    return NMContainerStatus.newInstance(container.getId(), 0, ContainerState.RUNNING, container.getResource(), "", -1000,
        container.getPriority(), 0, "x", ExecutionType.GUARANTEED, -1);
  }

  private static void refused(Pair pair) throws Exception {
    Path folder = pair.folder("starts");
    try (Manager manager = Manager.start(folder, pair.kind, pair.other(), labels(folder.resolve("labels")))) {
      pair.is("no start", "a start", "a class that knows no labels, with " + ENABLED);
    } catch (IllegalStateException ended) {
      String log = Files.readString(folder.resolve("log.txt"));
      pair.is("true", "" + log.contains(ENABLED + " is true, and io.evenweave.yarn.EvenweaveCapacityScheduler knows no node labels"),
          "whether the log says why");
    }
    pair.other("refresh", Map.of(), manager -> {
      Path site = manager.folder.resolve("yarn-site.xml");
      pair.is("0", "" + refresh(manager), "refreshQueues");
      Files.writeString(site, Files.readString(site).replace("</configuration>", "<property><name>" + ENABLED
          + "</name><value>true</value></property></configuration>"));
      pair.is("-1", "" + refresh(manager), "refreshQueues with labels switched on");
      pair.is("200", "" + manager.get("/ws/v1/cluster/scheduler").statusCode(), "the scheduler after that");
    });
  }

  private static int refresh(Manager manager) throws Exception {
    return new RMAdminCLI(new Configuration(manager.conf)).run(new String[] {"-refreshQueues"});
  }

  private interface Call {
    Object run() throws Exception;
  }

  /** What is refused, in the words of whoever refuses it. */
  private static String problem(Call call) {
    try {
      call.run();
      return "accepted";
    } catch (Exception e) {
      return e.getMessage().split("\n")[0].replaceAll("application_\\d+_\\d+", "ID");
    }
  }

  private static String pending(Manager manager) throws Exception {
    return metric(manager, "containersPending") + " " + metric(manager, "pendingMB") + " " + metric(manager, "pendingVirtualCores");
  }

  /** How many containers there are, when it has come to so many. */
  private static String settled(Manager manager, String containers) throws Exception {
    Manager.until(() -> metric(manager, "containersAllocated").equals(containers));
    return metric(manager, "containersAllocated");
  }

  private static String metric(Manager manager, String name) throws Exception {
    return Jmx.json(manager.get("/ws/v1/cluster/metrics").body()).get("clusterMetrics").get(name).asText();
  }

  private Labels() {}
}

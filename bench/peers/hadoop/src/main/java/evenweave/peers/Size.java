package evenweave.peers;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The sizes by their published names, and what follows from them: queues, racks, who wants how much. */
enum Size {
  S(1_000, 10, 100),
  M(1_000, 100, 1_000),
  L(1_000, 1_000, 10_000),
  L50(1_000, 1_000, 50_000),
  M5(5_000, 100, 1_000),
  L10(10_000, 1_000, 10_000);

  static final int NODE_MIB = 131_072;
  static final int NODE_VCORES = 64;
  static final int CONTAINER_MIB = 2_048;
  static final int CONTAINER_VCORES = 1;
  private static final int CONTAINERS_A_NODE = 64;
  private static final int WANTED_A_NODE = 96;
  private static final int NODES_A_RACK = 40;

  final int nodes;
  final int queues;
  final int apps;

  Size(int nodes, int queues, int apps) {
    this.nodes = nodes;
    this.queues = queues;
    this.apps = apps;
  }

  static Size named(String name) {
    return Arrays.stream(values()).filter(size -> size.name().equalsIgnoreCase(name)).findFirst()
        .orElseThrow(() -> new UsageException("--size " + name + ": one of "
            + Arrays.stream(values()).map(Size::name).collect(Collectors.joining(", "))));
  }

  int capacity() {
    return nodes * CONTAINERS_A_NODE;
  }

  /** Below this many running containers heartbeats carry no completions. */
  int enoughRunning() {
    return capacity() / 10 * 9;
  }

  int wanted(int app) {
    int total = nodes * WANTED_A_NODE;
    return total / apps + (app < total % apps ? 1 : 0);
  }

  int parents() {
    return switch (queues) {
      case 10 -> 2;
      case 100 -> 10;
      default -> 20;
    };
  }

  int leavesOfParent() {
    return queues / parents();
  }

  String leafOf(int app) {
    return leaf(app % queues);
  }

  String leaf(int number) {
    return "root.p" + number / leavesOfParent() + ".q" + number;
  }

  /** Of a parent as of a leaf. */
  static int weight(int number) {
    return 1 + number % 4;
  }

  static String rack(int node) {
    return "/r" + node / NODES_A_RACK;
  }

  static String host(int node) {
    return "n" + node;
  }

  /** The number of a host: the reverse of {@link #host}. */
  static int nodeNumber(String host) {
    return Integer.parseInt(host, 1, host.length(), 10);
  }
}

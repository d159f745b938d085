package evenweave.peers;

import evenweave.peers.Options.Workload;
import java.io.IOException;

/** Runs one workload; prints one record a repeat. */
public final class Main {
  private static final int WARM_FILLS = 3;

  private Main() {
  }

  /** See README.md for the options. */
  public static void main(String[] args) {
    int code = 0;
    try {
      run(args);
    } catch (UsageException wrong) {
      System.err.println("hadoop-peer: " + wrong.getMessage());
      code = 2;
    } catch (Exception failed) {
      failed.printStackTrace();
      code = 1;
    }
    // Threads of the ResourceManager that are no daemons would keep the process.
    System.exit(code);
  }

  private static void run(String[] args) throws Exception {
    Options options = new Options(args);
    if (options.workload == Workload.W1) {
      fills(options);
      return;
    }
    try (Cluster cluster = new Cluster(options)) {
      Nodes nodes = new Nodes(cluster, options);
      Masters masters = new Masters(cluster, options.workload == Workload.W4);
      nodes.fillBefore();
      masters.fetchAll();
      if (options.workload == Workload.W3) {
        updates(options, cluster, masters);
      } else {
        churn(options, cluster, nodes, masters);
      }
    }
  }

  private static void fills(Options options) throws IOException {
    Options warm = options.ofSize(Size.M);
    for (int i = 0; i < WARM_FILLS; i++) {
      fill(warm, options.warmUp);
    }
    for (int i = 0; i < options.reps; i++) {
      System.out.println(fill(options, options.seconds));
    }
  }

  private static Json fill(Options options, double atMost) throws IOException {
    try (Cluster cluster = new Cluster(options)) {
      Nodes nodes = new Nodes(cluster, options);
      new Masters(cluster, false);
      System.gc();
      Phase phase = new Phase(cluster);
      nodes.fill(phase, atMost);
      return phase.end(options, nodes.heartbeats, new Times(), 0, new Times());
    }
  }

  private static void churn(Options options, Cluster cluster, Nodes nodes, Masters masters) throws InterruptedException {
    Churn churn = new Churn(options, cluster, nodes, masters);
    churn.phase(options.warmUp, options.warmAllocations);
    System.gc();
    for (int i = 0; i < options.reps; i++) {
      System.out.println(churn.phase(options.seconds, Long.MAX_VALUE));
    }
  }

  private static void updates(Options options, Cluster cluster, Masters masters) {
    Updates updates = new Updates(options, cluster, masters);
    updates.warmUp();
    for (int i = 0; i < options.reps; i++) {
      System.out.println(updates.phase());
    }
  }
}

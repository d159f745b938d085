package evenweave.peers;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** W2 and W4: what completes is replaced, on one driver thread or on two. */
final class Churn {
  /** Owners under way between the two drivers. */
  private static final int QUEUE = 256;
  /** Ends the second driver. */
  private static final int[] OVER = new int[0];

  private final Options options;
  private final Cluster cluster;
  private final Nodes nodes;
  private final Masters masters;

  Churn(Options options, Cluster cluster, Nodes nodes, Masters masters) {
    this.options = options;
    this.cluster = cluster;
    this.nodes = nodes;
    this.masters = masters;
  }

  /** Goes on for so long, or until so many allocations. */
  Json phase(double seconds, long allocations) throws InterruptedException {
    nodes.heartbeats.clear();
    masters.allocates.clear();
    Phase phase = new Phase(cluster);
    long otherCpu = 0;
    if (options.drivers == 1) {
      while (goesOn(phase, seconds, allocations)) {
        int[] owners = nodes.complete(masters);
        if (owners != null) {
          masters.answer(owners);
        }
      }
    } else {
      otherCpu = onTwoThreads(phase, seconds, allocations);
    }
    return phase.end(options, nodes.heartbeats, masters.allocates, otherCpu, new Times());
  }

  private static boolean goesOn(Phase phase, double seconds, long allocations) {
    return !phase.lasted(seconds) && phase.allocated() < allocations;
  }

  /** The nodes on this thread, the applications on another. Gives the other's processor time. */
  private long onTwoThreads(Phase phase, double seconds, long allocations) throws InterruptedException {
    BlockingQueue<int[]> owners = new ArrayBlockingQueue<>(QUEUE);
    Applications other = new Applications(owners);
    other.start();
    while (goesOn(phase, seconds, allocations)) {
      int[] completed = nodes.complete(masters);
      if (completed != null) {
        owners.put(completed);
      }
    }
    owners.put(OVER);
    other.join();
    return other.cpu;
  }

  private final class Applications extends Thread {
    private final BlockingQueue<int[]> owners;
    private long cpu;

    Applications(BlockingQueue<int[]> owners) {
      super("applications");
      this.owners = owners;
    }

    @Override
    public void run() {
      long before = Phase.threadCpu();
      try {
        for (int[] completed = owners.take(); completed != OVER; completed = owners.take()) {
          masters.answer(completed);
        }
      } catch (InterruptedException nobodyDoes) {
        throw new IllegalStateException(nobodyDoes);
      }
      cpu = Phase.threadCpu() - before;
    }
  }
}

package evenweave.peers;

/** W3: what an update costs when one application in a hundred has changed what it wants. */
final class Updates {
  private static final int ONE_IN = 100;
  private static final int WARM_ROUNDS = 20;
  private static final int ROUNDS = 30;

  private final Options options;
  private final Cluster cluster;
  private final Masters masters;
  private int round;

  Updates(Options options, Cluster cluster, Masters masters) {
    this.options = options;
    this.cluster = cluster;
    this.masters = masters;
  }

  void warmUp() {
    Phase phase = new Phase(cluster);
    Times forgotten = new Times();
    while (round < WARM_ROUNDS || !phase.lasted(options.warmUp)) {
      round(forgotten);
    }
  }

  Json phase() {
    masters.allocates.clear();
    Phase phase = new Phase(cluster);
    Times updates = new Times();
    for (int i = 0; i < ROUNDS; i++) {
      round(updates);
    }
    return phase.end(options, new Times(), masters.allocates, 0, updates);
  }

  private void round(Times updates) {
    int by = round / ONE_IN % 2 == 0 ? 1 : -1;
    for (int app = round % ONE_IN; app < cluster.size.apps; app += ONE_IN) {
      masters.change(app, by);
    }
    round++;
    long start = System.nanoTime();
    cluster.update();
    updates.add(System.nanoTime() - start);
  }
}

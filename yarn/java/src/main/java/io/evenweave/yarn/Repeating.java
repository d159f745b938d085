package io.evenweave.yarn;

/** A thread that does something again and again, with a pause after each time. */
final class Repeating {
  private final Thread thread;
  private volatile boolean ends;

  Repeating(String name, long pauseMs, Runnable what) {
    thread = new Thread(() -> {
      while (!ends) {
        try {
          Thread.sleep(pauseMs);
          what.run();
        } catch (InterruptedException end) {
          return;
        } catch (RuntimeException e) {
          EvenweaveScheduler.LOG.error("{}", name, e);
        }
      }
    }, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void end(long patienceMs) throws InterruptedException {
    ends = true;
    thread.interrupt();
    thread.join(patienceMs);
  }
}

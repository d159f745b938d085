package figures;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEventType;

/** A ResourceManager without remote calls whose scheduler has its event queue and thread, as in a real one; both are timed. */
final class TimedManager extends MockRM {
  /** Nanoseconds from a node's heartbeat to the end of what the scheduler does with it, and how many those were. */
  final AtomicLong waited = new AtomicLong();
  final AtomicLong handled = new AtomicLong();
  /** The length of the queue, at each heartbeat that is taken from it. */
  final AtomicLong lengths = new AtomicLong();
  private volatile boolean stopped;

  private static final class Timed {
    final SchedulerEvent event;
    final long at = System.nanoTime();

    Timed(SchedulerEvent event) {
      this.event = event;
    }
  }

  TimedManager(Configuration conf) {
    super(conf, null, false, false);
  }

  @Override
  protected EventHandler<SchedulerEvent> createSchedulerEventDispatcher() {
    LinkedBlockingQueue<Timed> queue = new LinkedBlockingQueue<>();
    Thread thread = new Thread(() -> {
      while (!stopped) {
        try {
          Timed next = queue.take();
          getResourceScheduler().handle(next.event);
          if (next.event.getType() == SchedulerEventType.NODE_UPDATE) {
            waited.addAndGet(System.nanoTime() - next.at);
            lengths.addAndGet(queue.size());
            handled.incrementAndGet();
          }
        } catch (InterruptedException ended) {
          return;
        }
      }
    }, "SchedulerEventDispatcher");
    thread.setDaemon(true);
    thread.start();
    return event -> queue.add(new Timed(event));
  }

  void end() {
    stopped = true;
  }
}

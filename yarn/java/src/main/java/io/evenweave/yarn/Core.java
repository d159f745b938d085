package io.evenweave.yarn;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The core of one scheduler: its handle, its lock, its buffers.
 *
 * <p>The lock is held over a crossing and over what is made of its outcomes, so that what the core decides is in Hadoop's books before anybody
 * crosses again. What a node tells is in Hadoop's books first, outside the lock, and reaches the core with the heartbeat: a container that ends
 * by itself and is preempted, released or moved meanwhile ends once, because its attempt takes it off its list once. Whoever holds the lock takes
 * no lock of an attempt's state machine.
 */
final class Core {
  /** What happens to a batch's outcomes. */
  interface Outcomes {
    void take(List<Granted> granted, List<Reserved> reserved, List<CoreId> preempted);
  }

  private final ReentrantLock lock = new ReentrantLock();
  /** What others wait to have done; whoever holds the lock does it before anything else of its own. */
  private final Queue<Errand<?>> errands = new ConcurrentLinkedQueue<>();
  private final Wire wire = new Wire();
  private final Outcomes outcomes;
  private long handle;

  /** Starts it. {@code queueFile} writes where the allocation file is; {@code queues} are the properties of a capacity-scheduler.xml, or null. */
  Core(Map<String, String> site, Consumer<Wire> queueFile, Map<String, String> queues, Outcomes outcomes) {
    this.outcomes = outcomes;
    put(wire, site);
    if (queues == null) {
      queueFile.accept(wire);
    } else {
      put(wire, queues);
    }
    long created = Native.create(queues != null, wire.takeBytes());
    try {
      wire.setTypes(Native.types(created));
    } catch (RuntimeException | Error problem) {
      // Nobody else knows of it.
      Native.destroy(created);
      throw problem;
    }
    handle = created;
  }

  // ------------------------------------------------------------------------------------------------ the lock

  void lock() {
    lock.lock();
  }

  boolean tryLock() {
    return lock.tryLock();
  }

  /** Errands that have come meanwhile are run first, so that the scheduler's thread, which takes the lock again at once, starves nobody. */
  void unlock() {
    if (lock.getHoldCount() > 1) {
      lock.unlock();
      return;
    }
    do {
      try {
        for (Errand<?> next = errands.poll(); next != null; next = errands.poll()) {
          next.run();
        }
      } finally {
        lock.unlock();
      }
    } while (!errands.isEmpty() && lock.tryLock());
  }

  /**
   * Does something under the lock, on this thread or on that which has it: a caller that is woken for the lock would mostly find it taken again.
   * So it takes no lock that the caller may have, such as that of an attempt's state machine, and asks for nothing of its thread.
   */
  <T> T locked(Supplier<T> what) {
    if (lock.tryLock()) {
      try {
        return what.get();
      } finally {
        unlock();
      }
    }
    Errand<T> errand = new Errand<>(what);
    errands.add(errand);
    boolean interrupted = false;
    while (!errand.done) {
      // It may have been unlocked just before the errand was there.
      if (lock.tryLock()) {
        unlock();
      } else {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return errand.result();
  }

  /** What somebody waits to have done. */
  private static final class Errand<T> {
    private final Supplier<T> what;
    private final Thread waiter = Thread.currentThread();
    private T result;
    private Throwable thrown;
    private volatile boolean done;

    Errand(Supplier<T> what) {
      this.what = what;
    }

    void run() {
      try {
        result = what.get();
      } catch (RuntimeException | Error problem) {
        thrown = problem;
      }
      done = true;
      LockSupport.unpark(waiter);
    }

    T result() {
      if (thrown instanceof Error) {
        throw (Error) thrown;
      }
      if (thrown != null) {
        throw (RuntimeException) thrown;
      }
      return result;
    }
  }

  // ------------------------------------------------------------------------------------------------ crossings

  static void put(Wire out, Map<String, String> properties) {
    out.number(properties.size());
    properties.forEach((name, value) -> out.text(name).text(value));
  }

  /** For calls without an answer of their own. */
  void tell(Writing command) throws CoreRefusal {
    ask(command, in -> null);
  }

  /** The same where a refusal means that what is meant is gone already. */
  void tellIfThere(Writing command) {
    try {
      tell(command);
    } catch (CoreRefusal gone) {
      EvenweaveScheduler.LOG.debug("Not done: {}", gone.getMessage());
    }
  }

  /** One command, its answer, and what comes of it. */
  <T> T ask(Writing command, Reading<T> answer) throws CoreRefusal {
    lock();
    try {
      if (handle == 0) {
        throw new CoreRefusal("shut-down", "the scheduler is stopped");
      }
      wire.clear();
      command.write(wire);
      wire.cross(handle);
      CoreRefusal refusal = null;
      T value = null;
      if (wire.readFlag()) {
        value = answer.read(wire);
      } else {
        refusal = new CoreRefusal(wire.readText(), wire.readText());
      }
      List<Granted> granted = wire.readList((Supplier<Granted>) () -> new Granted(wire));
      List<Reserved> reserved = wire.readList((Supplier<Reserved>) () -> new Reserved(wire));
      List<CoreId> preempted = wire.readList(wire::readContainer);
      // The buffers are free for what this asks for in turn.
      outcomes.take(granted, reserved, preempted);
      if (refusal != null) {
        throw refusal;
      }
      return value;
    } finally {
      unlock();
    }
  }

  /** Ends it. May be called twice. */
  void close() {
    lock();
    try {
      if (handle != 0) {
        Native.destroy(handle);
        handle = 0;
      }
    } finally {
      unlock();
    }
  }

  /** Writes a command. */
  interface Writing {
    void write(Wire out);
  }

  /** Reads an answer. */
  interface Reading<T> {
    T read(Wire in);
  }
}

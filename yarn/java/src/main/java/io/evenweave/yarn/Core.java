package io.evenweave.yarn;

import java.util.List;
import java.util.Map;
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

  final ReentrantLock lock = new ReentrantLock();
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
    handle = Native.create(queues != null, wire.takeBytes());
    wire.setTypes(Native.types(handle));
  }

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
    lock.lock();
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
      lock.unlock();
    }
  }

  /** Ends it. May be called twice. */
  void close() {
    lock.lock();
    try {
      if (handle != 0) {
        Native.destroy(handle);
        handle = 0;
      }
    } finally {
      lock.unlock();
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

package io.evenweave.yarn;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What one crossing costs; of the samples the median is read, which other work on the machine hardly moves. It lies in the classes' own package, because nobody else calls the native library. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Crossing {
  private static final int APPLICATION = 7;

  private Core core;
  /** Of a scheduler that has nothing. */
  private long handle;
  private final ByteBuffer batch = ByteBuffer.allocateDirect(64);
  private final ByteBuffer answer = ByteBuffer.allocateDirect(64);
  private int idle;
  private int busy;
  private List<CoreId> running = new ArrayList<>();
  private final List<CoreId> none = Collections.emptyList();

  /** A node that has nothing to give, and one that always gives one container and takes it back. */
  @Setup
  public void start() throws CoreRefusal {
    core = new Core(EvenweaveScheduler.site(new YarnConfiguration()), out -> out.flag(false), null, (granted, reserved, preempted) -> {
      for (Granted one : granted) {
        running.add(one.id);
      }
    });
    // No properties, and no allocation file.
    handle = Native.create(false, new byte[5]);
    idle = node("idle", 0);
    busy = node("busy", 1024);
    core.ask(out -> out.command(Wire.SUBMIT).number(APPLICATION).text("ann").flag(true).maybe("root.a").flag(false).flag(false)
        .flag(false), Wire::readText);
    core.ask(out -> out.command(Wire.ALLOCATE).number(APPLICATION).number(1).number(1).wide(0).text("*").resource(Resource.newInstance(1024, 1))
        .number(Integer.MAX_VALUE).flag(true).texts(null).texts(null), Crossing::skipAnswer);
    core.tell(out -> out.command(Wire.UPDATE));
  }

  private int node(String name, int memory) throws CoreRefusal {
    return core.ask(out -> out.command(Wire.ADD_NODE).text(name).number(1).text("/r")
        .resource(Resource.newInstance(memory, 1)), Wire::readInt);
  }

  private static Void skipAnswer(Wire in) {
    in.readResource();
    in.readList(in::readContainer);
    return null;
  }

  @TearDown
  public void end() {
    core.close();
    Native.destroy(handle);
  }

  /** No command: the crossing itself, and the answer that nothing has happened. */
  @Benchmark
  public int empty() {
    return Native.run(handle, batch, 0, answer);
  }

  /** A heartbeat of a full node. */
  @Benchmark
  public void heartbeat() throws CoreRefusal {
    core.tell(out -> out.command(Wire.HEARTBEAT).number(idle).flag(true).containers(none).containers(none));
  }

  /** An AM asks for nothing new. */
  @Benchmark
  public void call() throws CoreRefusal {
    core.ask(out -> out.command(Wire.ALLOCATE).number(APPLICATION).number(0).texts(null).texts(null), Crossing::skipAnswer);
  }

  /** A heartbeat that tells of a container's end, and gets another: the core decides and keeps its books. */
  @Benchmark
  public void grant() throws CoreRefusal {
    List<CoreId> completed = running;
    running = new ArrayList<>(1);
    core.tell(out -> out.command(Wire.HEARTBEAT).number(busy).flag(true).containers(none).containers(completed));
    if (running.isEmpty()) {
      throw new IllegalStateException("nothing was granted");
    }
  }
}

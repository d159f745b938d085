package evenweave.peers;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The command line: {@code --name value} pairs, checked against each other before anything starts. */
final class Options {
  enum Workload { W1, W2, W3, W4 }

  enum Scheduler {
    FAIR, FAIR_CONTINUOUS, CAPACITY, CAPACITY_ASYNC;

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean fair() {
      return this == FAIR || this == FAIR_CONTINUOUS;
    }

    /** Whether containers are also assigned by threads of the scheduler's own. */
    boolean background() {
      return this == FAIR_CONTINUOUS || this == CAPACITY_ASYNC;
    }
  }

  enum Assign {
    ONE, DYN, MAX;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final List<String> NAMES = List.of("workload", "scheduler", "size", "assign", "drivers", "reps", "seconds",
      "warm-up", "warm-allocations", "async-threads");

  final Workload workload;
  final Scheduler scheduler;
  final Size size;
  final Assign assign;
  final int drivers;
  final int reps;
  /** W1: a fill may take so long; W2, W4: a repeat takes so long. */
  final double seconds;
  /** W1: each of the warm-up's fills may take so long; otherwise the warm-up. */
  final double warmUp;
  final long warmAllocations;
  final int asyncThreads;

  Options(String[] args) {
    Map<String, String> given = pairs(args);
    workload = choice(given, "workload", Workload.values(), Workload.W1);
    scheduler = choice(given, "scheduler", Scheduler.values(), Scheduler.FAIR);
    size = Size.named(given.getOrDefault("size", "M"));
    assign = choice(given, "assign", Assign.values(), Assign.DYN);
    drivers = (int) number(given, "drivers", 1, 1, 2);
    reps = (int) number(given, "reps", 3, 1, 1_000);
    seconds = number(given, "seconds", workload == Workload.W1 ? 7 : 4, 0.01, 3_600);
    warmUp = number(given, "warm-up", defaultWarmUp(), 0, 3_600);
    warmAllocations = (long) number(given, "warm-allocations", 300_000, 1, 1e12);
    asyncThreads = (int) number(given, "async-threads", 2, 1, 64);
    check();
  }

  private Options(Options other, Size size) {
    workload = other.workload;
    scheduler = other.scheduler;
    this.size = size;
    assign = other.assign;
    drivers = other.drivers;
    reps = other.reps;
    seconds = other.seconds;
    warmUp = other.warmUp;
    warmAllocations = other.warmAllocations;
    asyncThreads = other.asyncThreads;
  }

  /** The same on a cluster of another size. */
  Options ofSize(Size other) {
    return new Options(this, other);
  }

  private double defaultWarmUp() {
    return switch (workload) {
      case W1 -> 6;
      case W3 -> 3;
      case W2, W4 -> 12;
    };
  }

  private void check() {
    boolean oneDriver = workload == Workload.W1 || workload == Workload.W3;
    if (oneDriver && drivers == 2) {
      throw new UsageException("a second driver makes the allocate calls of W2 and W4; " + workload + " has one driver");
    }
    if (workload != Workload.W3 && size == Size.L50) {
      throw new UsageException("size L50 is one of W3");
    }
    if (workload == Workload.W3 && (size == Size.M5 || size == Size.L10)) {
      throw new UsageException("W3 has the sizes S, M, L and L50");
    }
    if (workload == Workload.W3 && scheduler != Scheduler.FAIR) {
      throw new UsageException("W3 times the FairScheduler's update(): --scheduler fair");
    }
    if (workload == Workload.W3 && assign != Assign.DYN) {
      throw new UsageException("W3 is filled in mode dyn");
    }
    if (!scheduler.fair() && assign == Assign.DYN) {
      throw new UsageException("the CapacityScheduler has no mode dyn: --assign one or max");
    }
  }

  /** Containers that complete with one heartbeat. */
  int completions() {
    return assign == Assign.ONE ? 1 : 4;
  }

  private static Map<String, String> pairs(String[] args) {
    Map<String, String> pairs = new HashMap<>();
    for (int i = 0; i < args.length; i += 2) {
      String name = args[i].startsWith("--") ? args[i].substring(2) : "";
      if (!NAMES.contains(name)) {
        throw new UsageException(args[i] + " is no option; options are --" + String.join(", --", NAMES));
      }
      if (i + 1 == args.length) {
        throw new UsageException(args[i] + " needs a value");
      }
      pairs.put(name, args[i + 1]);
    }
    return pairs;
  }

  private static <E extends Enum<E>> E choice(Map<String, String> given, String name, E[] values, E otherwise) {
    String text = given.get(name);
    if (text == null) {
      return otherwise;
    }
    String wanted = text.replace('-', '_');
    return Arrays.stream(values).filter(value -> value.name().equalsIgnoreCase(wanted)).findFirst()
        .orElseThrow(() -> new UsageException("--" + name + " " + text + ": one of "
            + Arrays.toString(values).toLowerCase(Locale.ROOT).replace('_', '-')));
  }

  private static double number(Map<String, String> given, String name, double otherwise, double least, double most) {
    String text = given.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      double value = Double.parseDouble(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Said below, with the range.
    }
    throw new UsageException("--" + name + " " + text + ": a number from " + least + " to " + most);
  }
}

package web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What two ResourceManagers, one with Hadoop's class and one with the other, say to the same. */
final class Pair {
  interface Session {
    void run(Manager manager) throws Exception;
  }

  static final String HADOOPS_CAPACITY = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler";
  final String kind;
  private final String part;
  private final Path work;
  private final List<String> wrong = new ArrayList<>();
  private int compared;
  /** What the ResourceManager that is asked first has said, by what it was asked. */
  private final Map<String, String> said = new TreeMap<>();
  private boolean isFirst;

  Pair(String kind, String part, Path work) {
    this.kind = kind;
    this.part = part;
    this.work = work;
  }

  private String scheduler(boolean hadoops) {
    String name = kind.equals("fair") ? "Fair" : "Capacity";
    String other = System.getProperty("web.other", "");
    if (hadoops) {
      return "org.apache.hadoop.yarn.server.resourcemanager.scheduler." + kind + "." + name + "Scheduler";
    }
    return other.isEmpty() ? "io.evenweave.yarn.Evenweave" + name + "Scheduler" : other;
  }

  /** The class that is held against Hadoop's. */
  String other() {
    return scheduler(false);
  }

  /** A folder of this part. */
  Path folder(String name) throws IOException {
    return Files.createDirectories(work.resolve(part + "-" + name));
  }

  /** The same session with a ResourceManager of each class. */
  void both(String name, Map<String, String> properties, Session session) throws Exception {
    said.clear();
    for (boolean hadoops : new boolean[] {true, false}) {
      isFirst = hadoops;
      int before = compared;
      try (Manager manager = start(name, hadoops, properties)) {
        session.run(manager);
      }
      if (hadoops) {
        compared = before;
      }
    }
    said.forEach((what, answer) -> wrong.add(what + ": not asked for; Hadoop's class says " + answer));
  }

  /** One ResourceManager with the other class. */
  void other(String name, Map<String, String> properties, Session session) throws Exception {
    try (Manager manager = start(name, false, properties)) {
      session.run(manager);
    }
  }

  private Manager start(String name, boolean hadoops, Map<String, String> properties) throws Exception {
    return Manager.start(work.resolve(part + "-" + name + (hadoops ? "-hadoop" : "-other")), kind, scheduler(hadoops), properties);
  }

  /** Notes what the first says, and holds what the second says against it. */
  void says(String what, String answer) {
    compared++;
    if (isFirst) {
      if (said.put(what, answer) != null) {
        throw new IllegalStateException("twice: " + what);
      }
      return;
    }
    String expected = said.remove(what);
    if (!answer.equals(expected)) {
      wrong.add(what + ": " + answer + "; Hadoop's class says " + expected);
    }
  }

  /** What has to be so with either class: else the session itself shows nothing. */
  void is(String expected, String actual, String what) {
    compared++;
    if (!expected.equals(actual)) {
      wrong.add((isFirst ? "Hadoop's class: " : "the other class: ") + what + " is " + actual + ", and not " + expected);
    }
  }

  int compared() {
    return compared;
  }

  String differences() {
    return String.join("\n", wrong);
  }
}

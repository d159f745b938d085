package lockstep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code Main fair|capacity SESSIONS FIRST FOLDER}: the same sessions with Hadoop's class and with Evenweave's, and where they differ.
 * {@code Main files - - FOLDER}: the same with an allocation file that changes.
 */
public final class Main {
  /** So many lines before a difference are shown. */
  private static final int BEFORE = 25;

  public static void main(String[] args) throws Exception {
    boolean capacity = args[0].equals("capacity");
    if (args[0].equals("files")) {
      files(Path.of(args[3]));
    }
    int sessions = Integer.parseInt(args[1]);
    long first = Long.parseLong(args[2]);
    Path folder = Path.of(args[3]);
    String hadoops = "org.apache.hadoop.yarn.server.resourcemanager.scheduler."
        + (capacity ? "capacity.CapacityScheduler" : "fair.FairScheduler");
    // Hadoop's own class in its place shows what two runs of Hadoop differ in.
    String ours = System.getProperty("lockstep.other", "io.evenweave.yarn.Evenweave" + (capacity ? "Capacity" : "Fair") + "Scheduler");
    int same = 0;
    int butForHeadrooms = 0;
    long containers = 0;
    for (long seed = first; seed < first + sessions; seed++) {
      Session of = new Session(new Plan(capacity, seed, folder), seed);
      List<String> expected = of.run(hadoops);
      containers += of.granted;
      List<String> actual = new Session(new Plan(capacity, seed, folder), seed).run(ours);
      if (expected.equals(actual)) {
        same++;
        System.out.println("seed " + seed + ": the same, " + expected.size() + " lines, " + of.granted + " containers");
      } else if (withoutHeadrooms(expected).equals(withoutHeadrooms(actual))) {
        same++;
        butForHeadrooms++;
        System.out.println("seed " + seed + ": the same but for a headroom, " + expected.size() + " lines, " + of.granted + " containers");
        keep(folder, args[0] + "-" + seed, expected, actual);
      } else {
        keep(folder, args[0] + "-" + seed, expected, actual);
        tell(seed, expected, actual);
      }
    }
    System.out.println(same + " of " + sessions + " sessions the same, " + butForHeadrooms + " of them but for headrooms, " + containers
        + " containers");
    if (same == sessions) {
      Files.createFile(folder.resolve("same"));
    }
    System.exit(same == sessions ? 0 : 1);
  }

  private static void files(Path folder) {
    boolean isSame = false;
    try {
      List<String> expected = new QueueFile(folder, "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler").run();
      List<String> actual = new QueueFile(folder, "io.evenweave.yarn.EvenweaveFairScheduler").run();
      expected.forEach(line -> System.out.println("  Hadoop:    " + line));
      actual.forEach(line -> System.out.println("  Evenweave: " + line));
      isSame = expected.equals(actual);
      if (isSame) {
        Files.createFile(folder.resolve("same"));
      }
    } catch (Exception e) {
      e.printStackTrace();
    }
    System.out.println(isSame ? "the same" : "DIFFERS");
    // A ResourceManager that did not start has threads that stay.
    System.exit(isSame ? 0 : 1);
  }

  /** The traces of both, to be compared by hand. */
  private static void keep(Path folder, String name, List<String> expected, List<String> actual) throws IOException {
    Files.write(folder.resolve(name + "-hadoop.txt"), expected);
    Files.write(folder.resolve(name + "-evenweave.txt"), actual);
  }

  private static List<String> withoutHeadrooms(List<String> lines) {
    List<String> without = new ArrayList<>();
    lines.forEach(line -> without.add(line.replaceAll(" headroom <[^>]*>", "")));
    return without;
  }

  private static void tell(long seed, List<String> expected, List<String> actual) {
    int at = 0;
    while (at < expected.size() && at < actual.size() && expected.get(at).equals(actual.get(at))) {
      at++;
    }
    System.out.println("seed " + seed + ": DIFFERS at line " + (at + 1));
    for (int i = Math.max(0, at - BEFORE); i < at; i++) {
      System.out.println("    " + expected.get(i));
    }
    System.out.println("  Hadoop:    " + (at < expected.size() ? expected.get(at) : "(ended)"));
    System.out.println("  Evenweave: " + (at < actual.size() ? actual.get(at) : "(ended)"));
  }

  private Main() {}
}

package web;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs the parts named on the command line, or all, with one kind of scheduler. */
public final class Main {
  interface Part {
    void run(Pair pair) throws Exception;
  }

  private static final Map<String, Part> PARTS = new LinkedHashMap<>();

  static {
    PARTS.put("logins", Logins::run);
    PARTS.put("labels", Labels::run);
    PARTS.put("answers", Answers::run);
    PARTS.put("reads", Reads::run);
    PARTS.put("standby", Standby::run);
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("--list")) {
      PARTS.keySet().forEach(System.out::println);
      return;
    }
    if (!args[0].equals("fair") && !args[0].equals("capacity")) {
      System.err.println(args[0] + " is neither fair nor capacity");
      System.exit(2);
    }
    List<String> chosen = args.length == 1 ? List.copyOf(PARTS.keySet()) : List.of(args).subList(1, args.length);
    int failed = 0;
    for (String name : chosen) {
      Part part = PARTS.get(name);
      if (part == null) {
        System.err.println("no part named " + name + "; known: " + PARTS.keySet());
        System.exit(2);
      }
      long start = System.nanoTime();
      Pair pair = new Pair(args[0], name, Path.of(System.getProperty("web.work")));
      String problem = "";
      try {
        part.run(pair);
        problem = pair.differences();
      } catch (Exception e) {
        e.printStackTrace();
        problem = e.toString();
      }
      failed += problem.isEmpty() ? 0 : 1;
      System.out.printf("%s %s (%d answers, %.0f s)%n%s", problem.isEmpty() ? "ok" : "FAILED", name, pair.compared(),
          (System.nanoTime() - start) / 1e9, problem.isEmpty() ? "" : problem + "\n");
    }
    System.out.flush();
    // Clients of remote calls leave threads behind.
    Runtime.getRuntime().halt(failed == 0 ? 0 : 1);
  }

  private Main() {}
}

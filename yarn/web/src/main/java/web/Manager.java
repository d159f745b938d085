package web;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** A ResourceManager: a process of its own, as its script would start it. */
final class Manager implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final int PATIENCE_S = 120;
  private static final List<String> ADDRESSES = List.of(YarnConfiguration.RM_ADDRESS, YarnConfiguration.RM_SCHEDULER_ADDRESS,
      YarnConfiguration.RM_RESOURCE_TRACKER_ADDRESS, YarnConfiguration.RM_ADMIN_ADDRESS, YarnConfiguration.RM_WEBAPP_ADDRESS);

  final Configuration conf;
  final String address;
  final Path folder;
  private final Process process;

  private Manager(Path folder, Configuration conf, Process process) {
    this.folder = folder;
    this.conf = conf;
    this.process = process;
    this.address = conf.get(YarnConfiguration.RM_WEBAPP_ADDRESS);
  }

  static Manager start(Path folder, String kind, String scheduler, Map<String, String> properties) throws Exception {
    Files.createDirectories(folder);
    Map<String, String> all = new TreeMap<>();
    for (String key : ADDRESSES) {
      all.put(key, "localhost:" + port());
    }
    all.put(YarnConfiguration.RM_SCHEDULER, scheduler);
    all.put("hadoop.tmp.dir", folder.resolve("tmp").toString());
    all.put("yarn.scheduler.fair.allocation.file", folder.resolve("fair-scheduler.xml").toString());
    // Hosts like n1 have no address: tokens name them as they are.
    all.put("hadoop.security.token.service.use_ip", "false");
    all.put("yarn.system-metrics-publisher.enabled", "false");
    all.putAll(properties);
    Configuration site = new Configuration(false);
    all.forEach(site::set);
    try (OutputStream out = Files.newOutputStream(folder.resolve("yarn-site.xml"))) {
      site.writeXml(out);
    }
    // What is Hadoop's common part; with nothing of it set, the file is as it comes.
    Configuration core = new Configuration(false);
    all.forEach((name, value) -> {
      if (name.startsWith("hadoop.")) {
        core.set(name, value);
      }
    });
    try (OutputStream out = Files.newOutputStream(folder.resolve("core-site.xml"))) {
      core.writeXml(out);
    }
    Queues.write(folder);
    // What JMX shows is at most so many seconds old.
    Files.writeString(folder.resolve("hadoop-metrics2.properties"), "*.period=1\n");
    Files.writeString(folder.resolve("log4j.properties"), "log4j.rootLogger=INFO,F\nlog4j.appender.F=org.apache.log4j.FileAppender\n"
        + "log4j.appender.F.file=" + folder.resolve("log.txt") + "\nlog4j.appender.F.layout=org.apache.log4j.PatternLayout\n"
        + "log4j.appender.F.layout.ConversionPattern=%d{ISO8601} %p [%t] %c{1}: %m%n\n");
    Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx400m", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Djava.net.preferIPv4Stack=true",
        "-Djava.security.krb5.conf=" + Logins.krb5(folder), "-Dyarn.log.dir=" + folder, "-Dhadoop.log.dir=" + folder,
        "-cp", folder + ":" + System.getProperty("web.jar") + ":" + System.getProperty("web.classpath"),
        "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager").directory(folder.toFile())
        .redirectErrorStream(true).redirectOutput(folder.resolve("out.txt").toFile()).start();
    Configuration conf = new YarnConfiguration();
    all.forEach(conf::set);
    conf.setInt("ipc.client.connect.max.retries", 3);
    Manager manager = new Manager(folder, conf, process);
    try {
      manager.awaitUp();
    } catch (Exception e) {
      manager.close();
      throw e;
    }
    return manager;
  }

  private void awaitUp() throws Exception {
    long end = System.nanoTime() + PATIENCE_S * 1_000_000_000L;
    while (true) {
      if (!process.isAlive()) {
        throw new IllegalStateException("the ResourceManager has ended; its log is in " + folder);
      }
      try {
        ask("GET", "/ws/v1/cluster/info", Map.of(), "");
        return;
      } catch (IOException notYet) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException("no answer after " + PATIENCE_S + " s; the log is in " + folder, notYet);
        }
        Thread.sleep(200);
      }
    }
  }

  interface Condition {
    boolean holds() throws Exception;
  }

  /** Waits for it, if need be in vain: who cares looks again. */
  static void until(Condition condition) throws Exception {
    long end = System.nanoTime() + 20_000_000_000L;
    while (!condition.holds() && System.nanoTime() < end) {
      Thread.sleep(50);
    }
  }

  /** Where it is reached: another one that takes its place is started with the same. */
  Map<String, String> addresses() {
    Map<String, String> addresses = new TreeMap<>();
    ADDRESSES.forEach(key -> addresses.put(key, conf.get(key)));
    return addresses;
  }

  static int port() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }

  /** One request; redirections are not followed. */
  HttpResponse<String> ask(String method, String path, Map<String, String> headers, String body) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + address + path))
        .header("Accept", "application/json").timeout(java.time.Duration.ofSeconds(60));
    headers.forEach(request::setHeader);
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    request.method(method, body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path) throws Exception {
    return ask("GET", path, Map.of(), "");
  }

  interface Errand<T> {
    T run(YarnClient client) throws Exception;
  }

  /** By remote call, as a user. */
  <T> T as(String user, Errand<T> errand) throws Exception {
    return as(UserGroupInformation.createRemoteUser(user), () -> {
      try (YarnClient client = YarnClient.createYarnClient()) {
        client.init(conf);
        client.start();
        return errand.run(client);
      }
    });
  }

  static <T> T as(UserGroupInformation user, PrivilegedExceptionAction<T> what) throws Exception {
    try {
      return user.doAs(what);
    } catch (UndeclaredThrowableException wrapped) {
      throw wrapped.getCause() instanceof Exception ? (Exception) wrapped.getCause() : wrapped;
    }
  }

  @Override
  public void close() throws Exception {
    process.destroy();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}

package web;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.http.lib.StaticUserWebFilter;
import org.apache.hadoop.security.AuthenticationFilterInitializer;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;

/** Who one is and what one may, for every write of the REST interface, by the filters that a site may have, with access control on. */
final class Logins {
  private static final String FILTERS = "hadoop.http.filter.initializers";
  private static final String TYPE = "hadoop.http.authentication.type";
  private static final String[] ACTORS = {"", "mallory", "alice", "boss", "root"};
  private static final String HOST = "n1:4321";

  /** A request: {@code APP}, {@code NEW} and {@code CONTAINER} in it stand for ids. */
  private record Write(String method, String path, String body) {}

  /** Each is done to an application of alice's in queue a. Killing comes last. */
  private static final List<Write> TO_APPLICATION = List.of(
      new Write("PUT", "/apps/APP/priority", "{\"priority\":3}"),
      new Write("PUT", "/apps/APP/timeout", "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"2099-01-01T00:00:00.000+0000\"}}"),
      new Write("PUT", "/apps/APP/queue", "{\"queue\":\"b\"}"),
      new Write("POST", "/containers/CONTAINER/signal/OUTPUT_THREAD_DUMP", ""),
      new Write("PUT", "/apps/APP/state", "{\"state\":\"KILLED\"}"));

  private static final List<Write> TO_CLUSTER = List.of(
      new Write("POST", "/delegation-token", "{\"renewer\":\"mallory\"}"),
      new Write("POST", "/delegation-token/expiration", ""),
      new Write("DELETE", "/delegation-token", ""),
      new Write("POST", "/reservation/new-reservation", ""),
      new Write("POST", "/reservation/submit", "{\"queue\":\"a\",\"reservation-id\":\"reservation_1_1\",\"reservation-definition\":{\"arrival\":1,"
          + "\"deadline\":2,\"reservation-name\":\"r\",\"reservation-requests\":{\"reservation-request-interpreter\":0,"
          + "\"reservation-request\":[{\"duration\":1,\"num-containers\":1,\"min-concurrency\":1,\"capability\":{\"memory\":128,\"vCores\":1}}]}}}"),
      new Write("POST", "/reservation/update", "{\"reservation-id\":\"reservation_1_1\",\"reservation-definition\":{\"arrival\":1,\"deadline\":2}}"),
      new Write("POST", "/reservation/delete", "{\"reservation-id\":\"reservation_1_1\"}"),
      new Write("PUT", "/scheduler-conf", "{\"update-queue\":{\"queue-name\":\"root.b\",\"params\":{\"entry\":{\"key\":\"maximum-capacity\",\"value\":\"90\"}}}}"),
      new Write("POST", "/scheduler-conf/validate", "{\"update-queue\":{\"queue-name\":\"root.b\"}}"),
      new Write("GET", "/scheduler-conf/format", ""),
      new Write("POST", "/add-node-labels", "{\"nodeLabelInfo\":[{\"name\":\"x\",\"exclusivity\":true}]}"),
      new Write("POST", "/replace-node-to-labels", "{\"nodeToLabels\":[{\"nodeId\":\"" + HOST + "\",\"labels\":[\"x\"]}]}"),
      new Write("POST", "/nodes/" + HOST + "/replace-labels?labels=x", ""),
      new Write("POST", "/remove-node-labels?labels=x", ""),
      new Write("POST", "/nodes/" + HOST + "/resource", "{\"resource\":{\"memory\":1024,\"vCores\":1},\"overCommitTimeout\":-1}"),
      new Write("POST", "/scheduler/logs", "time=1"));

  static void run(Pair pair) throws Exception {
    for (Map.Entry<String, Map<String, String>> login : logins().entrySet()) {
      pair.both(login.getKey(), properties(login.getValue(), pair), manager -> session(pair, login.getKey(), manager));
    }
    // Without access control nobody is refused.
    pair.both("open", Map.of(), manager -> {
      for (Write write : TO_APPLICATION) {
        write(pair, manager, "open", "mallory", write, submit(manager).toString());
      }
    });
  }

  /** The filters that a site may have configured. */
  private static Map<String, Map<String, String>> logins() {
    String hadoops = AuthenticationFilterInitializer.class.getName();
    Map<String, Map<String, String>> logins = new LinkedHashMap<>();
    logins.put("default", Map.of());
    logins.put("static", Map.of(FILTERS, StaticUserWebFilter.class.getName(), "hadoop.http.staticuser.user", "alice"));
    logins.put("simple", Map.of(FILTERS, hadoops, TYPE, "simple", "hadoop.http.authentication.simple.anonymous.allowed", "false"));
    logins.put("header", Map.of(FILTERS, HeaderLogin.class.getName()));
    logins.put("kerberos", Map.of(FILTERS, hadoops, TYPE, "kerberos", "hadoop.http.authentication.kerberos.principal",
        "HTTP/localhost@EXAMPLE.COM"));
    return logins;
  }

  private static Map<String, String> properties(Map<String, String> login, Pair pair) throws IOException {
    Map<String, String> all = new LinkedHashMap<>(login);
    all.put("yarn.acl.enable", "true");
    all.put("yarn.admin.acl", "root");
    if (login.containsKey(TYPE)) {
      Path secret = Files.writeString(Files.createTempFile("secret", ""), "a secret of nobody's");
      Path keytab = Files.write(Files.createTempFile("web", ".keytab"), keytab());
      all.put("hadoop.http.authentication.signature.secret.file", secret.toString());
      all.put("hadoop.http.authentication.kerberos.keytab", keytab.toString());
    }
    return all;
  }

  private static void session(Pair pair, String login, Manager manager) throws Exception {
    for (String actor : ACTORS) {
      String who = login + " " + (actor.isEmpty() ? "nobody" : actor);
      pair.says(who + " GET /userinfo", answer(manager.ask("GET", path("/userinfo", actor), headers(actor), "")));
      pair.says(who + " GET /scheduler", "" + manager.ask("GET", path("/scheduler", actor), headers(actor), "").statusCode());
      for (String queue : List.of("a", "b", "c.d")) {
        submission(pair, manager, who, actor, pair.kind.equals("fair") ? "root." + queue : queue.replace("c.", ""));
      }
      for (Write write : TO_APPLICATION) {
        write(pair, manager, who, actor, write, submit(manager).toString());
      }
      for (Write write : TO_CLUSTER) {
        write(pair, manager, who, actor, write, "");
      }
    }
    // What has to come out with Hadoop's class, too: a filter of a test that lets everybody through would show nothing.
    Write kill = TO_APPLICATION.get(4);
    if (login.equals("default")) {
      pair.is("403 ACCEPTED", kill(manager, "mallory", kill), "a kill by a stranger");
      pair.is("403 ACCEPTED", kill(manager, "", kill), "a kill by nobody");
      pair.is("taken KILLED", kill(manager, "alice", kill), "a kill by its owner");
    } else if (login.equals("kerberos")) {
      pair.is("401 ACCEPTED", kill(manager, "alice", kill), "a kill without a ticket");
    }
  }

  private static String kill(Manager manager, String actor, Write kill) throws Exception {
    ApplicationId app = submit(manager);
    int status = send(manager, actor, kill, app.toString()).statusCode();
    return (status / 100 == 2 ? "taken" : "" + status) + " " + state(manager, app, status).getYarnApplicationState();
  }

  /** A submission, and whose the application is then. */
  private static void submission(Pair pair, Manager manager, String who, String actor, String queue) throws Exception {
    HttpResponse<String> fresh = send(manager, actor, new Write("POST", "/apps/new-application", ""), "");
    pair.says(who + " POST /apps/new-application for " + queue, answer(fresh));
    ApplicationId id = manager.as("root", client -> client.createApplication().getNewApplicationResponse().getApplicationId());
    String body = "{\"application-id\":\"" + id + "\",\"application-name\":\"x\",\"queue\":\"" + queue + "\",\"unmanaged-AM\":true,"
        + "\"am-container-spec\":{\"commands\":{\"command\":\"true\"}},\"resource\":{\"memory\":256,\"vCores\":1},\"max-app-attempts\":1,"
        + "\"priority\":0,\"application-type\":\"YARN\"}";
    HttpResponse<String> answer = send(manager, actor, new Write("POST", "/apps", body), "");
    String then = answer.statusCode() != 202 ? "" : " " + manager.as("root", client -> {
      ApplicationReport report = client.getApplicationReport(id);
      for (int i = 0; i < 100 && !report.getYarnApplicationState().equals(YarnApplicationState.ACCEPTED)
          && !report.getYarnApplicationState().equals(YarnApplicationState.FAILED); i++) {
        Thread.sleep(50);
        report = client.getApplicationReport(id);
      }
      return report.getUser() + " " + report.getQueue() + " " + report.getYarnApplicationState();
    });
    pair.says(who + " POST /apps to " + queue, answer(answer) + then);
  }

  /** An application of alice's in queue a, by remote call. */
  private static ApplicationId submit(Manager manager) throws Exception {
    return manager.as("alice", client -> Master.submit(client, "a", "x", ""));
  }

  private static void write(Pair pair, Manager manager, String who, String actor, Write write, String app) throws Exception {
    HttpResponse<String> answer = send(manager, actor, write, app);
    // Of what is not there with either class the sentences differ: one class could write its configuration, were it set up so.
    String said = write.path.startsWith("/scheduler-conf") ? "" + answer.statusCode() : answer(answer);
    // How far a kill has come when it is answered is a matter of time.
    said = write.body.contains("KILLED") && answer.statusCode() / 100 == 2 ? "taken" : said;
    if (!app.isEmpty()) {
      ApplicationReport report = state(manager, ApplicationId.fromString(app), write.body.contains("KILLED") ? answer.statusCode() : 0);
      said += " " + report.getUser() + " " + report.getQueue() + " " + report.getPriority() + " " + report.getYarnApplicationState() + " "
          + report.getApplicationTimeouts().values().stream().map(timeout -> timeout.getExpiryTime()).toList();
    }
    pair.says(who + " " + write.method + " " + write.path, said);
  }

  /** How the application is; if it is to be killed, when it has been. */
  private static ApplicationReport state(Manager manager, ApplicationId app, int statusOfKill) throws Exception {
    return manager.as("root", client -> {
      ApplicationReport report = client.getApplicationReport(app);
      for (int i = 0; i < 200 && statusOfKill / 100 == 2 && report.getYarnApplicationState() != YarnApplicationState.KILLED; i++) {
        Thread.sleep(50);
        report = client.getApplicationReport(app);
      }
      return report;
    });
  }

  private static HttpResponse<String> send(Manager manager, String actor, Write write, String app) throws Exception {
    String container = app.replace("application", "container") + "_01_000001";
    Map<String, String> headers = headers(actor);
    if (write.path.equals("/scheduler/logs")) {
      headers.put("Content-Type", "application/x-www-form-urlencoded");
    }
    if (write.path.startsWith("/delegation-token")) {
      headers.put("Hadoop-YARN-RM-Delegation-Token", "AAVyb290MgVyb290MgA");
    }
    return manager.ask(write.method, path(write.path, actor).replace("APP", app).replace("CONTAINER", container), headers, write.body);
  }

  private static String path(String path, String actor) {
    return "/ws/v1/cluster" + path + (actor.isEmpty() ? "" : (path.contains("?") ? "&" : "?") + "user.name=" + actor);
  }

  private static Map<String, String> headers(String actor) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (!actor.isEmpty()) {
      headers.put(HeaderLogin.HEADER, actor);
    }
    return headers;
  }

  /** Status, what the caller has to do to log in, and the body without ids and times. */
  private static String answer(HttpResponse<String> of) {
    String body = of.body().replaceAll("(application|reservation|container|appattempt)_\\d+[_\\d]*", "$1_ID")
        .replaceAll("\\d{10,}", "TIME").replaceAll("(Servlet)-[0-9a-f]+", "$1").replaceAll("localhost:\\d+", "HERE").replaceAll("\\s+", " ");
    List<String> all = new ArrayList<>(List.of("" + of.statusCode()));
    all.addAll(of.headers().allValues("WWW-Authenticate"));
    all.add(body.length() > 400 ? body.substring(0, 400) : body);
    return String.join(" ", all);
  }

  /** A realm that nobody serves. */
  static Path krb5(Path folder) throws IOException {
    return Files.writeString(folder.resolve("krb5.conf"), "[libdefaults]\n default_realm = EXAMPLE.COM\n[realms]\n EXAMPLE.COM = {\n  kdc = localhost:1\n }\n");
  }

  /** A keytab of one key of HTTP/localhost, which no ticket is made with. */
  private static byte[] keytab() throws IOException {
    ByteArrayOutputStream entry = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(entry)) {
      out.writeShort(2);
      for (String part : List.of("EXAMPLE.COM", "HTTP", "localhost")) {
        out.writeShort(part.length());
        out.write(part.getBytes(StandardCharsets.US_ASCII));
      }
      out.writeInt(1);
      out.writeInt(0);
      out.writeByte(1);
      // aes128-cts-hmac-sha1-96
      out.writeShort(17);
      out.writeShort(16);
      out.write(new byte[16]);
    }
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(file)) {
      out.writeShort(0x0502);
      out.writeInt(entry.size());
      entry.writeTo(out);
    }
    return file.toByteArray();
  }

  private Logins() {}
}

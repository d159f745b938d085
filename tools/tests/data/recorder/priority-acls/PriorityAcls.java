import java.util.*;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.*;
import org.apache.hadoop.yarn.server.resourcemanager.security.AppPriorityACLsManager;
public class PriorityAcls {
  static Random r;
  static String pick(String... of) { return of[r.nextInt(of.length)]; }
  static String names(String... of) { StringBuilder b = new StringBuilder(); int n = 1 + r.nextInt(3);
    for (int i = 0; i < n; i++) b.append(i > 0 ? "," : "").append(pick(of)); return b.toString(); }
  static String group() {
    List<String> parts = new ArrayList<>();
    if (r.nextInt(20) > 0) parts.add(pick("user", "user", "USER") + "=" + (r.nextInt(12) == 0 ? "*" : names("ann", "bob", "cyd", "dan")));
    if (r.nextInt(2) == 0) parts.add("group=" + (r.nextInt(15) == 0 ? "*" : names("dev", "ops", "qa")));
    if (r.nextInt(15) == 0) parts.add("user=" + names("dan", "dev"));
    if (r.nextInt(25) > 0) parts.add("max_priority=" + (r.nextInt(14) - 2));
    if (r.nextInt(6) > 0) parts.add("default_priority=" + (r.nextInt(12) - 2));
    if (r.nextInt(25) == 0) parts.add(pick("x", "weight=2", "max_priority=1x", "user="));
    if (r.nextInt(4) == 0) Collections.shuffle(parts, r);
    return "[" + pick("", "", " ") + String.join(pick(" ", " ", "  "), parts) + pick("", "", " ") + "]";
  }
  static String q(String s) { return "\"" + s.replace("\\", "\\\\").replace("\"", "\\\"") + "\""; }
  public static void main(String[] a) throws Exception {
    int n = Integer.parseInt(a[1]); r = new Random(Long.parseLong(a[0]));
    Configuration conf = new Configuration(false);
    conf.setBoolean("yarn.acl.enable", true);
    Map<String, String[]> groups = new LinkedHashMap<>();
    groups.put("ann", new String[]{"dev"}); groups.put("bob", new String[]{"ops", "qa"});
    groups.put("cyd", new String[]{"dev", "ops"}); groups.put("dan", new String[]{}); groups.put("eve", new String[]{"qa"});
    for (int i = 0; i < n; i++) {
      StringBuilder text = new StringBuilder(r.nextInt(10) == 0 ? "x" : "");
      int k = r.nextInt(12) == 0 ? 0 : 1 + r.nextInt(3);
      for (int j = 0; j < k; j++) text.append(group()).append(pick("", "", " "));
      if (k == 0) text.append(pick("*", "[]", "[ ]", "ann"));
      int max = pick("0", "5", "10").equals("0") ? 0 : r.nextInt(2) == 0 ? 5 : 10;
      StringBuilder out = new StringBuilder("{\"acl\":" + q(text.toString()) + ",\"max\":" + max + ",\"cases\":");
      List<AppPriorityACLGroup> read;
      try { read = new AppPriorityACLConfigurationParser().getPriorityAcl(Priority.newInstance(max), text.toString()); }
      catch (RuntimeException e) { System.out.println(out + "null}"); continue; }
      AppPriorityACLsManager m = new AppPriorityACLsManager(conf);
      m.addPrioirityACLs(read, "root.a");
      out.append("[");
      String sep = "";
      for (String user : groups.keySet()) {
        UserGroupInformation ugi = UserGroupInformation.createUserForTesting(user, groups.get(user));
        for (int p = -1; p <= 11; p++) {
          // As checkAndGetApplicationPriority does it; -1 stands for no priority.
          String res;
          try {
            Priority asked = p < 0 ? null : Priority.newInstance(p);
            if (asked == null) { asked = m.getDefaultPriority("root.a", ugi); if (asked == null) asked = Priority.newInstance(3); }
            if (asked.getPriority() > max) asked = Priority.newInstance(max);
            res = m.checkAccess(ugi, "root.a", asked) ? "" + asked.getPriority() : q("priority-acl");
          } catch (NullPointerException e) { res = q("no-default-priority"); }
          out.append(sep).append(res); sep = ",";
        }
      }
      System.out.println(out + "]}");
    }
  }
}

package web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The queue files of both kinds: a, where alice submits and boss administers, b for everybody, and c with a queue below it. */
final class Queues {
  static void write(Path folder) throws IOException {
    Files.writeString(folder.resolve("fair-scheduler.xml"), """
        <?xml version="1.0"?>
        <allocations>
          <queue name="root">
            <aclSubmitApps> </aclSubmitApps>
            <aclAdministerApps> </aclAdministerApps>
            <queue name="a"><aclSubmitApps>alice</aclSubmitApps><aclAdministerApps>boss</aclAdministerApps><minResources>1024 mb, 1 vcores</minResources></queue>
            <queue name="b"><aclSubmitApps>*</aclSubmitApps><maxRunningApps>7</maxRunningApps></queue>
            <queue name="c"><aclSubmitApps>alice</aclSubmitApps><weight>2.0</weight><queue name="d"><schedulingPolicy>drf</schedulingPolicy></queue></queue>
          </queue>
          <queuePlacementPolicy><rule name="specified"/><rule name="reject"/></queuePlacementPolicy>
        </allocations>
        """);
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    String[][] properties = {{"queues", "a,b,c"}, {"acl_submit_applications", " "}, {"acl_administer_queue", " "},
        {"a.capacity", "40"}, {"a.acl_submit_applications", "alice"}, {"a.acl_administer_queue", "boss"}, {"a.user-limit-factor", "5"},
        {"b.capacity", "30"}, {"b.acl_submit_applications", "*"}, {"b.maximum-capacity", "80"}, {"b.user-limit-factor", "5"},
        {"c.capacity", "30"}, {"c.acl_submit_applications", "alice"}, {"c.queues", "d"}, {"c.d.capacity", "100"}};
    for (String[] property : properties) {
      xml.append("  <property><name>yarn.scheduler.capacity.root.").append(property[0]).append("</name><value>").append(property[1])
          .append("</value></property>\n");
    }
    xml.append("  <property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>1.0</value></property>\n");
    Files.writeString(folder.resolve("capacity-scheduler.xml"), xml.append("</configuration>\n").toString());
  }

  private Queues() {}
}

package io.evenweave.yarn;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import javax.servlet.http.HttpServletResponse;
import javax.ws.rs.Path;
import javax.ws.rs.core.Context;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.RMWSConsts;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.RMWebServices;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.SchedulerTypeInfo;

/**
 * The ResourceManager's own web services, which know no scheduler but Hadoop's: what they say of one is said here. They stand where Hadoop's
 * stand, behind the same filters, so who one is and what one may is as with Hadoop's scheduler, and a standby ResourceManager sends to the
 * active one.
 */
@Singleton
@Path(RMWSConsts.RM_WEB_SERVICE_PATH)
public class EvenweaveWebServices extends RMWebServices {
  private final ResourceManager manager;
  private @Context HttpServletResponse response;

  @Inject
  public EvenweaveWebServices(ResourceManager manager, Configuration conf) {
    super(manager, conf);
    this.manager = manager;
  }

  @Override
  public SchedulerTypeInfo getSchedulerInfo() {
    ResourceScheduler scheduler = manager.getResourceScheduler();
    if (!(scheduler instanceof EvenweaveScheduler)) {
      return super.getSchedulerInfo();
    }
    // What is written, and how, goes by what the request accepts, as for all other answers.
    response.setContentType(null);
    return new SchedulerTypeInfo(((EvenweaveScheduler) scheduler).describe());
  }
}

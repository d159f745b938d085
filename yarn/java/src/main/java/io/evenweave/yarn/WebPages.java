package io.evenweave.yarn;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * The scheduler page and the web services of the ResourceManager, which knows only Hadoop's own classes.
 *
 * <p>Both are had by properties that the ResourceManager reads after the scheduler has been made. No filter of the web application is touched:
 * Hadoop decides by {@code hadoop.http.filter.initializers} whether callers have to say who they are.
 */
final class WebPages {
  static void install(Configuration conf) {
    setUnlessSet(conf, YarnConfiguration.YARN_HTTP_WEBAPP_SCHEDULER_PAGE, SchedulerPage.class);
    setUnlessSet(conf, YarnConfiguration.YARN_WEBAPP_CUSTOM_WEBSERVICE_CLASS, EvenweaveWebServices.class);
  }

  private static void setUnlessSet(Configuration conf, String property, Class<?> to) {
    String set = conf.get(property);
    if (set == null) {
      conf.set(property, to.getName());
    } else if (!set.equals(to.getName())) {
      EvenweaveScheduler.LOG.warn("{} is {}: what it shows of the scheduler is not by {}", property, set, to.getName());
    }
  }

  private WebPages() {}
}

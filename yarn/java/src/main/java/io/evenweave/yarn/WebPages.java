package io.evenweave.yarn;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.FilterContainer;
import org.apache.hadoop.http.FilterInitializer;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * The scheduler page and REST resource of the ResourceManager, which knows only Hadoop's own classes.
 *
 * <p>Both are had by properties that the ResourceManager reads after the scheduler has been made: the class of the page, and a filter in front
 * of its web application. The filter finds its scheduler by a number in the configuration; a ResourceManager that becomes active anew makes
 * a new scheduler with the same.
 */
public final class WebPages extends FilterInitializer {
  private static final String FILTERS = "hadoop.http.filter.initializers";
  private static final String NUMBER = "evenweave.web.number";
  private static final AtomicInteger LAST = new AtomicInteger();
  private static final Map<String, EvenweaveScheduler> SCHEDULERS = new ConcurrentHashMap<>();

  static void install(Configuration conf, EvenweaveScheduler scheduler) {
    if (conf.get(NUMBER) == null) {
      conf.set(NUMBER, Integer.toString(LAST.incrementAndGet()));
    }
    SCHEDULERS.put(conf.get(NUMBER), scheduler);
    if (conf.get(YarnConfiguration.YARN_HTTP_WEBAPP_SCHEDULER_PAGE) == null) {
      conf.set(YarnConfiguration.YARN_HTTP_WEBAPP_SCHEDULER_PAGE, SchedulerPage.class.getName());
    }
    String others = conf.get(FILTERS, "");
    if (!others.contains(WebPages.class.getName())) {
      conf.set(FILTERS, others.isEmpty() ? WebPages.class.getName() : others + "," + WebPages.class.getName());
    }
  }

  static void remove(EvenweaveScheduler scheduler) {
    SCHEDULERS.values().remove(scheduler);
  }

  static EvenweaveScheduler scheduler(String number) {
    return number == null ? null : SCHEDULERS.get(number);
  }

  @Override
  public void initFilter(FilterContainer container, Configuration conf) {
    container.addGlobalFilter("evenweave", SchedulerFilter.class.getName(),
        Collections.singletonMap("number", conf.get(NUMBER, "")));
  }
}

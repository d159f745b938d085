package io.evenweave.yarn;

import com.google.inject.Inject;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.RmView;
import org.apache.hadoop.yarn.webapp.SubView;
import org.apache.hadoop.yarn.webapp.hamlet2.Hamlet;
import org.apache.hadoop.yarn.webapp.view.HtmlBlock;

/** The scheduler page: the queues with what they use and may use. */
public final class SchedulerPage extends RmView {
  @Override
  protected Class<? extends SubView> content() {
    return QueuesBlock.class;
  }

  /** The table. */
  public static final class QueuesBlock extends HtmlBlock {
    private final ResourceManager manager;

    @Inject
    QueuesBlock(ResourceManager manager, ViewContext context) {
      super(context);
      this.manager = manager;
    }

    @Override
    protected void render(Block html) {
      if (!(manager.getResourceScheduler() instanceof EvenweaveScheduler)) {
        html.p().__("The scheduler is none of Evenweave's.").__();
        return;
      }
      EvenweaveScheduler scheduler = (EvenweaveScheduler) manager.getResourceScheduler();
      html.h3(scheduler.getClass().getSimpleName());
      Hamlet.TBODY<Hamlet.TABLE<Hamlet>> body = html.table("#queues").thead().tr().th("Queue").th("State").th("Used")
          .th("Share").th("Maximum").th("Running").th("Pending").th("Containers").__().__().tbody();
      Map<String, ShownQueue> queues = new TreeMap<>(scheduler.queues.now());
      for (ShownQueue queue : queues.values()) {
        QueueMetrics metrics = scheduler.queues.get(queue.name).getMetrics();
        body.tr().td(queue.name).td(queue.state).td(queue.used.toString()).td(scheduler.shareOf(queue))
            .td(queue.maxShare.toString()).td(Integer.toString(metrics.getAppsRunning()))
            .td(Integer.toString(metrics.getAppsPending())).td(Integer.toString(metrics.getAllocatedContainers())).__();
      }
      body.__().__();
    }
  }
}

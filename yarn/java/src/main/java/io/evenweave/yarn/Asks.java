package io.evenweave.yarn;

import java.util.List;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.ResourceRequest;

/** What is asked for, written as the core reads it. */
final class Asks {
  static Wire put(Wire out, List<ResourceRequest> asks) {
    out.number(asks.size());
    for (ResourceRequest ask : asks) {
      out.number(ask.getPriority().getPriority()).wide(ask.getAllocationRequestId()).text(ask.getResourceName())
          // Fewer than none is none, as in Hadoop.
          .resource(ask.getCapability()).number(Math.max(0, ask.getNumContainers())).flag(ask.getRelaxLocality());
    }
    return out;
  }

  /** The lines of a master's request; none of an unmanaged one. {@code runs}: it is not asked for. */
  static void putMaster(Wire out, List<ResourceRequest> master, List<String> blacklist, boolean runs) {
    if (master == null || master.isEmpty()) {
      out.flag(false);
      return;
    }
    ResourceRequest any = master.stream().filter(line -> ResourceRequest.isAnyLocation(line.getResourceName())).findFirst()
        .orElse(master.get(0));
    out.flag(true).resource(any.getCapability()).number(master.size());
    for (ResourceRequest line : master) {
      out.text(line.getResourceName()).flag(line.getRelaxLocality());
    }
    out.texts(blacklist).flag(runs);
  }

  /** {@code recovered}: it is as the ResourceManager stored it before its restart. */
  static Wire putSubmission(Wire out, int number, String user, boolean accepted, String queue, List<ResourceRequest> master,
      List<String> blacklist, boolean masterRuns, Priority priority, boolean recovered) {
    out.number(number).text(user).flag(accepted).maybe(queue);
    putMaster(out, master, blacklist, masterRuns);
    out.flag(priority != null);
    return (priority == null ? out : out.number(priority.getPriority())).flag(recovered);
  }

  /** One that has been accepted into its queue before. */
  static Wire putSubmission(Wire out, EvenweaveApplication application, List<ResourceRequest> master, List<String> blacklist,
      boolean masterRuns, boolean recovered) {
    return putSubmission(out, application.number, application.getUser(), true, application.getQueue().getQueueName(), master, blacklist,
        masterRuns, application.getPriority(), recovered);
  }

  private Asks() {}
}

package evenweave.peers;

import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;

/** Rows of an AM's request: all of one priority and size, and relaxed. */
final class Rows {
  private static final Priority PRIORITY = Priority.newInstance(1);

  private Rows() {
  }

  static ResourceRequest row(String location, int count) {
    // The scheduler normalises the size in place, so that every row has its own.
    Resource container = Resource.newInstance(Size.CONTAINER_MIB, Size.CONTAINER_VCORES);
    return ResourceRequest.newInstance(PRIORITY, location, container, count, true);
  }
}

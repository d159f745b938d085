package io.evenweave.yarn;

import org.apache.hadoop.yarn.api.records.Resource;

/** What a node is reserved for by now. */
final class Reserved {
  final int node;
  /** Whether it is reserved at all: nothing of what follows is there otherwise. */
  final boolean stands;
  int application;
  /** The number that the container has when it comes. */
  int number;
  int priority;
  long allocationRequestId;
  Resource resource;

  Reserved(Wire in) {
    node = in.readInt();
    stands = in.readFlag();
    if (stands) {
      application = in.readInt();
      number = in.readInt();
      priority = in.readInt();
      allocationRequestId = in.readLong();
      resource = in.readResource();
    }
  }
}

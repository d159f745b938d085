package io.evenweave.yarn;

/** A container that the core has granted. */
final class Granted {
  final int application;
  final CoreId id;
  final int node;
  final int priority;
  final long allocationRequestId;
  final Amounts size;

  Granted(Wire in) {
    application = in.readInt();
    id = in.readContainer();
    node = in.readInt();
    priority = in.readInt();
    allocationRequestId = in.readLong();
    size = in.readAmounts();
  }
}

package io.evenweave.yarn;

/** A container that has ended in the core, and why. */
final class Ended {
  private static final int PREEMPTED = 4;

  final CoreId id;
  private final int reason;

  Ended(Wire in) {
    id = in.readContainer();
    reason = in.readByte();
  }

  /** The one end that the core decides: all others are asked for here. */
  boolean isPreempted() {
    return reason == PREEMPTED;
  }
}

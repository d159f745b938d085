package io.evenweave.yarn;

/** A container as the core names it: three words, which mean nothing here. */
final class CoreId {
  final long ofApplication;
  final long slot;
  final long record;

  CoreId(long ofApplication, long slot, long record) {
    this.ofApplication = ofApplication;
    this.slot = slot;
    this.record = record;
  }

  /** The number within the attempt, from 1. */
  long number() {
    return ofApplication & 0xffffffffL;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof CoreId)) {
      return false;
    }
    CoreId that = (CoreId) other;
    return ofApplication == that.ofApplication && slot == that.slot && record == that.record;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(ofApplication * 31 + record);
  }

  @Override
  public String toString() {
    return "container " + number() + " of application " + (ofApplication >>> 32);
  }
}

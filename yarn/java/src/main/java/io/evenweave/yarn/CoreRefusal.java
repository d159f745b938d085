package io.evenweave.yarn;

/** The core does not do what it was asked for. */
final class CoreRefusal extends Exception {
  private static final long serialVersionUID = 1L;
  /** The kind, as {@code Refused::kind} has it. */
  final String kind;

  CoreRefusal(String kind, String message) {
    super(message);
    this.kind = kind;
  }
}

package evenweave.peers;

/** The command line is wrong; the message says what would be right. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}

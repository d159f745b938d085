package evenweave.peers;

import java.util.Locale;

/** One JSON object on a line, field by field; enough for records, whose texts need no escapes. */
final class Json {
  private final StringBuilder text = new StringBuilder("{");

  Json put(String name, String value) {
    return raw(name, "\"" + value + "\"");
  }

  Json put(String name, long value) {
    return raw(name, Long.toString(value));
  }

  Json put(String name, double value) {
    // Seven digits whatever the size: ratios and rates stand in one record.
    return raw(name, Double.isFinite(value) ? String.format(Locale.ROOT, "%.7g", value) : "null");
  }

  Json put(String name, Json value) {
    return raw(name, value == null ? "null" : value.toString());
  }

  private Json raw(String name, String value) {
    text.append(text.length() == 1 ? "" : ",").append('"').append(name).append("\":").append(value);
    return this;
  }

  @Override
  public String toString() {
    return text + "}";
  }
}

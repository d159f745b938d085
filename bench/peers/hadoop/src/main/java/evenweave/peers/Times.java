package evenweave.peers;

import java.util.Arrays;

/** Nanoseconds of single calls. One thread adds; it is read when that thread is done. */
final class Times {
  private long[] values = new long[1 << 17];
  private int count;
  private long sum;

  void add(long ns) {
    if (count == values.length) {
      values = Arrays.copyOf(values, count * 2);
    }
    values[count++] = ns;
    sum += ns;
  }

  long sum() {
    return sum;
  }

  void clear() {
    count = 0;
    sum = 0;
  }

  /** In microseconds; null where nothing was timed. */
  Json percentiles() {
    if (count == 0) {
      return null;
    }
    long[] sorted = sorted();
    return new Json().put("n", count).put("p50", sorted[count / 2] / 1e3)
        .put("p99", sorted[(int) Math.min(count - 1L, count * 99L / 100)] / 1e3).put("max", sorted[count - 1] / 1e3);
  }

  /** In milliseconds; null where nothing was timed. */
  Json spread() {
    if (count == 0) {
      return null;
    }
    long[] sorted = sorted();
    return new Json().put("n", count).put("min", sorted[0] / 1e6).put("p50", sorted[count / 2] / 1e6)
        .put("max", sorted[count - 1] / 1e6);
  }

  private long[] sorted() {
    long[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return sorted;
  }
}

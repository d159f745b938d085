package io.evenweave.yarn;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/** Numbers and texts in buffers, as {@code wire.rs} has them. Not for several threads at once. */
final class Wire {
  /** The commands, as {@code commands.rs} has them. */
  static final int ADD_NODE = 1;
  static final int REMOVE_NODE = 2;
  static final int RESIZE_NODE = 3;
  static final int HEARTBEAT = 4;
  static final int ACCEPT = 5;
  static final int SUBMIT = 6;
  static final int NEW_ATTEMPT = 7;
  static final int ALLOCATE = 8;
  static final int RELEASE = 9;
  static final int FINISH = 10;
  static final int MOVE = 11;
  static final int UPDATE = 12;
  static final int TICK = 13;
  static final int REFRESH = 14;
  static final int PLACE = 15;
  static final int PERMITS = 16;
  static final int GROUPS = 17;
  static final int QUEUES = 18;
  static final int SET_PRIORITY = 19;
  static final int OFFER = 20;
  static final int SET_MAXIMUM = 21;
  static final int PREEMPT = 22;
  static final int RECOVER = 23;
  static final int GIVE_UP_RESERVATION = 24;
  static final int LABELS_UPDATED = 25;
  static final int ASK_AGAIN = 26;
  static final int STOP_ATTEMPT = 27;
  static final int LOOK_AT_FILE = 28;

  private ByteBuffer out = buffer(1 << 16);
  private ByteBuffer in = buffer(1 << 16);
  /** Of each of the core's resource types the index of Hadoop's. */
  private int[] types = {0, 1};

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  void setTypes(String names) {
    String[] each = names.split("\n");
    types = new int[each.length];
    for (int i = 0; i < each.length; i++) {
      Integer index = ResourceUtils.getResourceTypeIndex().get(each[i]);
      if (index == null) {
        throw new IllegalStateException("the resource type " + each[i] + " is none of the ResourceManager's: "
            + ResourceUtils.getResourceTypeIndex().keySet());
      }
      types[i] = index;
    }
  }

  // ------------------------------------------------------------------------------------------------ writing

  Wire command(int command) {
    return put(command);
  }

  Wire put(int oneByte) {
    room(1);
    out.put((byte) oneByte);
    return this;
  }

  Wire flag(boolean flag) {
    return put(flag ? 1 : 0);
  }

  Wire number(int number) {
    room(4);
    out.putInt(number);
    return this;
  }

  Wire wide(long number) {
    room(8);
    out.putLong(number);
    return this;
  }

  Wire text(String text) {
    return bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  Wire bytes(byte[] bytes) {
    number(bytes.length);
    room(bytes.length);
    out.put(bytes);
    return this;
  }

  Wire maybe(String text) {
    return text == null ? flag(false) : flag(true).text(text);
  }

  Wire texts(Collection<String> texts) {
    number(texts == null ? 0 : texts.size());
    if (texts != null) {
      texts.forEach(this::text);
    }
    return this;
  }

  Wire resource(Resource resource) {
    put(types.length);
    for (int type : types) {
      wide(resource.getResourceInformation(type).getValue());
    }
    return this;
  }

  Wire container(CoreId id) {
    return wide(id.ofApplication).wide(id.slot).wide(id.record);
  }

  Wire containers(List<CoreId> ids) {
    number(ids.size());
    ids.forEach(this::container);
    return this;
  }

  private void room(int bytes) {
    if (out.remaining() < bytes) {
      long needed = (long) out.position() + bytes;
      if (needed > Integer.MAX_VALUE) {
        throw new IllegalStateException("a command of " + needed + " bytes: no buffer holds more than " + Integer.MAX_VALUE);
      }
      ByteBuffer larger = buffer((int) Math.max(Math.min(2L * out.capacity(), Integer.MAX_VALUE), needed));
      out.flip();
      larger.put(out);
      out = larger;
    }
  }

  /** What was written, and nothing is any more. */
  byte[] takeBytes() {
    byte[] bytes = new byte[out.position()];
    out.flip();
    out.get(bytes);
    out.clear();
    return bytes;
  }

  /** Throws away what was written. */
  void clear() {
    out.clear();
  }

  // ------------------------------------------------------------------------------------------------ the crossing

  /** Has the core work off what was written; its answer is read next. */
  void cross(long handle) {
    int length;
    try {
      length = Native.run(handle, out, out.position(), in);
      if (length < 0) {
        in = buffer(roomFor(-length));
        length = Native.again(in);
      }
    } finally {
      out.clear();
    }
    in.clear();
    in.limit(length);
  }

  /** A power of two, so that the buffer seldom grows; where no buffer is as long, just what is needed. */
  static int roomFor(int bytes) {
    return bytes < 1 << 30 ? Integer.highestOneBit(bytes) * 2 : bytes;
  }

  // ------------------------------------------------------------------------------------------------ reading

  int readByte() {
    return in.get() & 0xff;
  }

  boolean readFlag() {
    return in.get() != 0;
  }

  int readInt() {
    return in.getInt();
  }

  long readLong() {
    return in.getLong();
  }

  float readFloat() {
    return in.getFloat();
  }

  String readText() {
    byte[] bytes = new byte[in.getInt()];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  String readMaybe() {
    return readFlag() ? readText() : null;
  }

  Resource readResource() {
    return readAmounts().toResource();
  }

  Amounts readAmounts() {
    long[] amounts = new long[readByte()];
    for (int i = 0; i < amounts.length; i++) {
      amounts[i] = readLong();
    }
    return new Amounts(types, amounts);
  }

  CoreId readContainer() {
    return new CoreId(in.getLong(), in.getLong(), in.getLong());
  }

  <T> List<T> readList(Supplier<T> one) {
    int count = in.getInt();
    List<T> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add(one.get());
    }
    return all;
  }
}

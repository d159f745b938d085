package io.evenweave.yarn;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** The native library: one for the whole Java machine, whatever number of schedulers there is. */
final class Native {
  private static final String NAME = "evenweave_yarn";

  static {
    load();
  }

  /** Starts a scheduler and gives its handle, which is never 0. */
  static native long create(boolean capacity, byte[] start);

  /** The names of the resource types, one in a line. */
  static native String types(long handle);

  /**
   * Works off a batch; the length of the answer, or, where the answer has no room, as much less than nothing. Where the core panics, or its answer
   * is longer than any buffer, the core is gone: this call and all later ones with the handle throw, but for {@link #destroy}.
   */
  static native int run(long handle, ByteBuffer batch, int length, ByteBuffer answer);

  /** The answer that had no room in this thread's last call. */
  static native int again(ByteBuffer answer);

  /** Ends a scheduler. Nobody calls with its handle any more. */
  static native void destroy(long handle);

  /** The library of the jar; where the jar has none for this platform, that of {@code java.library.path}. */
  private static void load() {
    String platform = platform();
    String file = System.mapLibraryName(NAME);
    try (InputStream library = Native.class.getResourceAsStream("native/" + platform + "/" + file)) {
      if (library == null) {
        loadInstalled(platform);
        return;
      }
      Path copy = Files.createTempFile("evenweave-", "-" + file);
      try {
        Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
        System.load(copy.toAbsolutePath().toString());
      } finally {
        // What is loaded stays loaded.
        Files.deleteIfExists(copy);
      }
    } catch (IOException e) {
      throw new IllegalStateException("the native library of Evenweave cannot be copied into java.io.tmpdir ("
          + System.getProperty("java.io.tmpdir") + "): " + e.getMessage(), e);
    }
  }

  private static void loadInstalled(String platform) {
    try {
      System.loadLibrary(NAME);
    } catch (UnsatisfiedLinkError e) {
      throw new IllegalStateException("this jar has no native library of Evenweave for " + platform
          + ", and there is none in java.library.path either: take a jar that was built for this platform, or set "
          + "yarn.resourcemanager.scheduler.class to one of Hadoop's own", e);
    }
  }

  /** As the folders of the jar are named: linux-x86_64, linux-aarch64. */
  private static String platform() {
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    machine = machine.equals("amd64") ? "x86_64" : machine;
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).replace(' ', '_') + "-" + machine;
  }

  private Native() {}
}

package io.evenweave.yarn;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.StringJoiner;

/** The native library: one for the whole Java machine, whatever number of schedulers there is. */
final class Native {
  private static final String NAME = "evenweave_yarn";
  /** The platforms that a jar may have a library for. */
  private static final String[] KNOWN = {"linux-x86_64", "linux-aarch64"};

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

  /** The library of the jar; where that is not there, or cannot be loaded from where it is unpacked, that of {@code java.library.path}. */
  private static void load() {
    String platform = platform();
    String problem = loadUnpacked(platform);
    if (problem == null) {
      return;
    }
    try {
      System.loadLibrary(NAME);
      EvenweaveScheduler.LOG.info("The native library of Evenweave is that of java.library.path: {}", problem);
    } catch (UnsatisfiedLinkError e) {
      throw new IllegalStateException(problem + "; and none can be loaded from java.library.path ("
          + System.getProperty("java.library.path") + "): " + e.getMessage() + ". Take a jar that was built for this platform (yarn/build.sh on a "
          + "machine like this one makes it), or unpack io/evenweave/yarn/native/" + platform + "/" + System.mapLibraryName(NAME)
          + " from it and set -Djava.library.path to the folder, or set yarn.resourcemanager.scheduler.class to one of Hadoop's own", e);
    }
  }

  /** What has come in between; null where it is loaded. */
  private static String loadUnpacked(String platform) {
    String file = System.mapLibraryName(NAME);
    String folder = "java.io.tmpdir (" + System.getProperty("java.io.tmpdir") + ")";
    try (InputStream library = Native.class.getResourceAsStream("native/" + platform + "/" + file)) {
      if (library == null) {
        return "this jar has no native library of Evenweave for " + platform + " (os.arch is " + System.getProperty("os.arch") + "); it has "
            + there(file);
      }
      Path copy = Files.createTempFile("evenweave-", "-" + file);
      try {
        Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
        System.load(copy.toAbsolutePath().toString());
        return null;
      } finally {
        // What is loaded stays loaded.
        Files.deleteIfExists(copy);
      }
    } catch (UnsatisfiedLinkError e) {
      return "the native library of Evenweave cannot be loaded from " + folder + ", which may be mounted noexec: " + e.getMessage();
    } catch (IOException e) {
      return "the native library of Evenweave cannot be unpacked to " + folder + ": " + e;
    }
  }

  /** Those of them that this jar has. */
  private static String there(String file) {
    StringJoiner names = new StringJoiner(", ").setEmptyValue("none");
    for (String known : KNOWN) {
      if (Native.class.getResource("native/" + known + "/" + file) != null) {
        names.add(known);
      }
    }
    return names.toString();
  }

  /** As the folders of the jar are named: linux-x86_64, linux-aarch64. */
  private static String platform() {
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    machine = machine.equals("amd64") ? "x86_64" : machine;
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).replace(' ', '_') + "-" + machine;
  }

  private Native() {}
}

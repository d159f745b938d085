package io.evenweave.yarn;

import java.io.IOException;
import java.net.URL;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairSchedulerConfiguration;

/**
 * The allocation file, where Hadoop looks for it: the core reads one of this machine itself; of another file system, such as HDFS, what it
 * holds is sent to the core. When it is to be read again is the core's to say, as in Hadoop's {@code AllocationFileLoaderService}.
 */
final class AllocationFile {
  static final long INTERVAL_MS = 10_000;
  /** Hadoop's: other file systems are refused. */
  private static final String FILE_SYSTEMS = "(?i)(hdfs)|(file)|(s3a)|(viewfs)";
  /** A file that was changed so lately may be changed again within what its file system counts as one moment. */
  private static final long UNSETTLED_MS = 30_000;
  /** The core takes no larger one. */
  private static final long LARGEST = 64 << 20;

  private final Path path;
  private final FileSystem fileSystem;
  private long sent = -1;

  private AllocationFile(Path path, FileSystem fileSystem) {
    this.path = path;
    this.fileSystem = fileSystem;
  }

  /** An absolute path, with or without a file system, or a file on the class path. */
  static AllocationFile of(Configuration from) throws IOException {
    String name = from.get(FairSchedulerConfiguration.ALLOCATION_FILE, "fair-scheduler.xml");
    Path path = new Path(name);
    String scheme = path.toUri().getScheme();
    if (scheme != null && !scheme.matches(FILE_SYSTEMS)) {
      throw new UnsupportedFileSystemException("Allocation file " + name + " uses an unsupported filesystem");
    }
    if (!path.isAbsolute()) {
      URL found = Thread.currentThread().getContextClassLoader().getResource(name);
      if (found == null) {
        EvenweaveScheduler.LOG.warn("{} not found on the classpath.", name);
        return new AllocationFile(null, null);
      }
      if (!found.getProtocol().equalsIgnoreCase("file")) {
        throw new IOException("Allocation file " + found + " found on the classpath is not on the local filesystem.");
      }
      path = new Path(found.getProtocol(), null, found.getPath());
    }
    boolean isHere = scheme == null || scheme.equalsIgnoreCase("file");
    return new AllocationFile(path, isHere ? null : path.getFileSystem(from));
  }

  /** The core cannot read it. */
  boolean isSent() {
    return fileSystem != null;
  }

  /** Writes where it is, and what it holds if that is to be sent. */
  void write(Wire out) {
    if (path == null) {
      out.flag(false);
    } else if (isSent()) {
      look().write(out.flag(true).text(path.toString()).flag(true));
    } else {
      out.flag(true).text(path.toUri().getPath()).flag(false);
    }
  }

  /** What is there now. Not under the core's lock. */
  synchronized Found look() {
    Found found = new Found();
    try {
      FileStatus status = fileSystem.getFileStatus(path);
      found.modified = status.getModificationTime();
      boolean isSettled = System.currentTimeMillis() - found.modified > UNSETTLED_MS;
      if (found.modified == sent && isSettled) {
        return found;
      }
      if (status.getLen() > LARGEST) {
        throw new IOException("it is larger than " + (LARGEST >> 20) + " MiB");
      }
      byte[] all = new byte[Math.toIntExact(status.getLen())];
      try (FSDataInputStream in = fileSystem.open(path)) {
        IOUtils.readFully(in, all, 0, all.length);
      }
      found.contents = all;
      sent = found.modified;
    } catch (IOException | ArithmeticException e) {
      EvenweaveScheduler.LOG.error("Exception while loading allocation file: {}", e.toString());
      found.problem = e.toString();
      sent = -1;
    }
    return found;
  }

  /** What a look has found. */
  static final class Found {
    private long modified;
    /** Null where it is as before. */
    private byte[] contents;
    private String problem;

    void write(Wire out) {
      if (problem != null) {
        out.flag(false).text(problem).flag(true).flag(false).text(problem);
      } else if (contents == null) {
        out.flag(true).wide(modified).flag(false);
      } else {
        out.flag(true).wide(modified).flag(true).flag(true).bytes(contents);
      }
    }
  }
}

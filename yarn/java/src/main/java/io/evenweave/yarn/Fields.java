package io.evenweave.yarn;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.metrics2.lib.MutableGaugeLong;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.ResourceInfo;

/**
 * Fills a data object of Hadoop's web services. They have no setters, because they are made from Hadoop's own schedulers; their fields, by
 * name, are what is written.
 */
final class Fields {
  private static final Map<String, Field> KNOWN = new ConcurrentHashMap<>();

  private final Object of;

  private Fields(Object of) {
    this.of = of;
  }

  static Fields of(Object object) {
    return new Fields(object);
  }

  /** A field that another version of Hadoop does not have is not there to be written. */
  Fields set(String name, Object value) {
    Field field = field(of.getClass(), name);
    if (field == null) {
      EvenweaveScheduler.LOG.debug("{} has no {}", of.getClass(), name);
      return this;
    }
    try {
      field.set(of, value);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(name + " of " + of.getClass(), e);
    }
    return this;
  }

  Fields resource(String name, Resource resource) {
    return set(name, new ResourceInfo(resource));
  }

  /** Sets a gauge of metrics, which are to be counted up and down. */
  Fields gauge(String name, long value) {
    Field field = field(of.getClass(), name);
    try {
      Object gauge = field == null ? null : field.get(of);
      if (gauge instanceof MutableGaugeLong) {
        ((MutableGaugeLong) gauge).set(value);
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(name + " of " + of.getClass(), e);
    }
    return this;
  }

  private static Field field(Class<?> of, String name) {
    return KNOWN.computeIfAbsent(of.getName() + "." + name, key -> {
      for (Class<?> at = of; at != null; at = at.getSuperclass()) {
        try {
          Field field = at.getDeclaredField(name);
          field.setAccessible(true);
          return field;
        } catch (NoSuchFieldException above) {
          // Perhaps its parent has it.
        }
      }
      return null;
    });
  }
}

package io.evenweave.yarn;

import org.apache.hadoop.yarn.api.records.Resource;

/** Objects within objects, as JSON or XML: enough for an answer of names, numbers and queues. */
final class SchedulerTree {
  private final boolean xml;
  private final StringBuilder text = new StringBuilder();
  private boolean first = true;

  SchedulerTree(boolean xml) {
    this.xml = xml;
    if (xml) {
      text.append("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>");
    }
  }

  SchedulerTree open(String name) {
    if (xml) {
      text.append('<').append(name).append('>');
    } else {
      name(name);
      text.append('{');
      first = true;
    }
    return this;
  }

  SchedulerTree close(String name) {
    if (xml) {
      text.append("</").append(name).append('>');
    } else {
      text.append('}');
      first = false;
    }
    return this;
  }

  /** A list of objects; each between {@link #item} and {@link #itemEnd}. */
  SchedulerTree list(String name) {
    if (!xml) {
      name(name);
      text.append('[');
      first = true;
    }
    return this;
  }

  SchedulerTree listEnd() {
    if (!xml) {
      text.append(']');
      first = false;
    }
    return this;
  }

  SchedulerTree item(String name) {
    if (xml) {
      return open(name);
    }
    comma();
    text.append('{');
    first = true;
    return this;
  }

  SchedulerTree itemEnd(String name) {
    return close(name);
  }

  SchedulerTree text(String name, String value) {
    return value(name, value, true);
  }

  SchedulerTree number(String name, Number value) {
    return value(name, value.toString(), false);
  }

  SchedulerTree flag(String name, boolean value) {
    return value(name, Boolean.toString(value), false);
  }

  SchedulerTree resource(String name, Resource resource) {
    return open(name).number("memory", resource.getMemorySize()).number("vCores", resource.getVirtualCores()).close(name);
  }

  private SchedulerTree value(String name, String value, boolean quoted) {
    if (xml) {
      text.append('<').append(name).append('>').append(value.replace("&", "&amp;").replace("<", "&lt;")).append("</")
          .append(name).append('>');
      return this;
    }
    name(name);
    text.append(quoted ? '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"' : value);
    return this;
  }

  private void name(String name) {
    comma();
    text.append('"').append(name).append("\":");
  }

  private void comma() {
    if (!first) {
      text.append(',');
    }
    first = false;
  }

  String text() {
    return xml ? text.toString() : "{" + text + "}";
  }
}

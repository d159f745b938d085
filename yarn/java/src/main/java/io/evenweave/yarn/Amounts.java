package io.evenweave.yarn;

import org.apache.hadoop.yarn.api.records.Resource;

/** A resource as the core has written it, before an object of Hadoop's is made of it, which is large. */
final class Amounts {
  /** Of each amount the index of Hadoop's type. */
  private final int[] types;
  private final long[] amounts;

  Amounts(int[] types, long[] amounts) {
    this.types = types;
    this.amounts = amounts;
  }

  Resource toResource() {
    Resource resource = Resource.newInstance(0, 0);
    for (int i = 0; i < amounts.length; i++) {
      resource.setResourceValue(types[i], amounts[i]);
    }
    return resource;
  }

  /** The other itself where it is the same, as it mostly is: containers of one ask have one object. */
  Resource toResource(Resource other) {
    boolean same = other.getResources().length == amounts.length;
    for (int i = 0; same && i < amounts.length; i++) {
      same = other.getResourceInformation(types[i]).getValue() == amounts[i];
    }
    return same ? other : toResource();
  }
}

package lockstep;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.net.DNSToSwitchMapping;

/** Host {@code hN} stands in rack {@code /r(N mod 3)}. */
public final class Racks implements DNSToSwitchMapping {
  static final int COUNT = 3;

  static String of(String host) {
    return "/r" + Integer.parseInt(host.substring(1)) % COUNT;
  }

  @Override
  public List<String> resolve(List<String> names) {
    List<String> racks = new ArrayList<>();
    names.forEach(name -> racks.add(name.matches("h\\d+") ? of(name) : "/default-rack"));
    return racks;
  }

  @Override
  public void reloadCachedMappings() {
    // There are none.
  }

  @Override
  public void reloadCachedMappings(List<String> names) {
    // There are none.
  }
}

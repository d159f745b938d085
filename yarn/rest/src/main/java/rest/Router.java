package rest;

import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.ws.rs.core.Response;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.router.webapp.DefaultRequestInterceptorREST;

/**
 * The part of YARN's Router that asks a ResourceManager over REST, for one server. It reads XML. The request that the Router itself would get
 * is made up here: it has a caller and parameters, and nothing else.
 */
final class Router {
  /** Hadoop's own client. */
  final DefaultRequestInterceptorREST client;
  /** An answer that nobody waits for. */
  static final HttpServletResponse ANSWER = (HttpServletResponse) Proxy.newProxyInstance(
      Router.class.getClassLoader(), new Class<?>[] {HttpServletResponse.class}, (proxy, method, arguments) -> null);

  Router(String address, String user) {
    Configuration conf = new YarnConfiguration();
    conf.set(YarnConfiguration.RM_WEBAPP_ADDRESS, address);
    client = new DefaultRequestInterceptorREST();
    client.setConf(conf);
    client.init(user);
    client.setWebAppAddress(address);
  }

  /** A request of {@code user} with parameters: name, value, name, value. */
  static HttpServletRequest request(String user, String... parameters) {
    Map<String, String[]> map = new HashMap<>();
    for (int i = 0; i < parameters.length; i += 2) {
      map.put(parameters[i], new String[] {parameters[i + 1]});
    }
    return (HttpServletRequest) Proxy.newProxyInstance(Router.class.getClassLoader(), new Class<?>[] {HttpServletRequest.class},
        (proxy, method, arguments) -> switch (method.getName()) {
          case "getParameterMap" -> Collections.unmodifiableMap(map);
          case "getRemoteUser" -> user;
          case "getUserPrincipal" -> (java.security.Principal) () -> user;
          case "getHeader" -> null;
          case "toString" -> "request of " + user;
          default -> null;
        });
  }

  /** What {@code response} says, or an exception when it is not {@code status}. */
  static String expect(int status, Response response) throws Exception {
    if (response == null) {
      throw new IllegalStateException("no answer");
    }
    String body = response.getEntity() == null ? "" : new String(((java.io.InputStream) response.getEntity()).readAllBytes(), "UTF-8");
    if (response.getStatus() != status) {
      throw new IllegalStateException("status " + response.getStatus() + " instead of " + status + ": " + body);
    }
    return body;
  }
}

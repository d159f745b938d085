package rest;

import com.sun.jersey.api.client.Client;
import com.sun.jersey.api.client.ClientResponse;
import com.sun.jersey.api.client.config.ClientConfig;
import com.sun.jersey.api.client.config.DefaultClientConfig;
import javax.ws.rs.core.MediaType;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.JAXBContextResolver;

/** Reads JSON as the ResourceManager writes it: with its own resolver of JAXB contexts. */
final class Json {
  private final Client client;
  private final String base;

  Json(String address) {
    ClientConfig config = new DefaultClientConfig();
    config.getClasses().add(JAXBContextResolver.class);
    client = Client.create(config);
    base = "http://" + address + "/ws/v1/cluster";
  }

  /** The answer to {@code path} as an object of {@code type}. */
  <T> T get(String path, Class<T> type) {
    ClientResponse response = client.resource(base + path).accept(MediaType.APPLICATION_JSON).get(ClientResponse.class);
    if (response.getStatus() != 200) {
      throw new IllegalStateException("status " + response.getStatus() + ": " + response.getEntity(String.class));
    }
    return response.getEntity(type);
  }
}

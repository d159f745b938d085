package web;

import java.io.IOException;
import java.security.Principal;
import java.util.Map;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletRequestWrapper;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.FilterContainer;
import org.apache.hadoop.http.FilterInitializer;

/** Who one is, by a header, as a site's own filter behind a gateway has it. */
public final class HeaderLogin extends FilterInitializer {
  static final String HEADER = "X-Gateway-User";

  @Override
  public void initFilter(FilterContainer container, Configuration conf) {
    container.addFilter("gateway", Reading.class.getName(), Map.of());
  }

  /** The filter. */
  public static final class Reading implements Filter {
    @Override
    public void init(FilterConfig config) {
      // There is nothing to know.
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
      String user = ((HttpServletRequest) request).getHeader(HEADER);
      chain.doFilter(user == null ? request : new HttpServletRequestWrapper((HttpServletRequest) request) {
        @Override
        public String getRemoteUser() {
          return user;
        }

        @Override
        public Principal getUserPrincipal() {
          return () -> user;
        }
      }, response);
    }

    @Override
    public void destroy() {
      // Nothing is held.
    }
  }
}

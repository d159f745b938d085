package io.evenweave.yarn;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Answers {@code /ws/v1/cluster/scheduler}, which the ResourceManager refuses for classes that it does not know; lets all else through. */
public final class SchedulerFilter implements Filter {
  private static final String PATH = "/ws/v1/cluster/scheduler";
  private String number;

  @Override
  public void init(FilterConfig config) {
    number = config.getInitParameter("number");
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
    EvenweaveScheduler scheduler = WebPages.scheduler(number);
    String path = request instanceof HttpServletRequest ? ((HttpServletRequest) request).getRequestURI() : "";
    if (scheduler == null || !(path.equals(PATH) || path.equals(PATH + "/"))) {
      chain.doFilter(request, response);
      return;
    }
    String accept = ((HttpServletRequest) request).getHeader("Accept");
    boolean xml = accept != null && accept.contains("xml") && !accept.contains("json") && !accept.contains("html");
    SchedulerTree tree = new SchedulerTree(xml);
    scheduler.describe(tree);
    HttpServletResponse answer = (HttpServletResponse) response;
    answer.setContentType(xml ? "application/xml;charset=utf-8" : "application/json;charset=utf-8");
    byte[] bytes = tree.text().getBytes(StandardCharsets.UTF_8);
    answer.setContentLength(bytes.length);
    try (OutputStream out = answer.getOutputStream()) {
      out.write(bytes);
    }
  }

  @Override
  public void destroy() {
    // Nothing is held.
  }
}

package evenweave.peers;

import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.service.AbstractService;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.api.records.LogAggregationContext;
import org.apache.hadoop.yarn.api.records.NMToken;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.Token;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.server.api.ContainerType;
import org.apache.hadoop.yarn.server.resourcemanager.RMContextImpl;
import org.apache.hadoop.yarn.server.resourcemanager.RMSecretManagerService;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.security.NMTokenSecretManagerInRM;
import org.apache.hadoop.yarn.server.resourcemanager.security.RMContainerTokenSecretManager;

/**
 * The real ResourceManager less what the workloads leave out: events to its other parts go nowhere, and containers get no tokens. It is
 * initialised and never started, so that no server listens.
 */
final class BareResourceManager extends ResourceManager {
  @Override
  protected Dispatcher createDispatcher() {
    return new Nowhere();
  }

  @Override
  protected RMSecretManagerService createRMSecretManagerService() {
    return new WithoutTokens(getConfig(), rmContext);
  }

  private static final class Nowhere extends AbstractService implements Dispatcher {
    private static final EventHandler<Event<?>> IGNORED = event -> { };

    Nowhere() {
      super("events to nowhere");
    }

    @Override
    @SuppressWarnings("rawtypes")
    public EventHandler getEventHandler() {
      return IGNORED;
    }

    @Override
    @SuppressWarnings("rawtypes")
    public void register(Class<? extends Enum> eventType, EventHandler handler) {
      // Nothing is delivered.
    }
  }

  private static final class WithoutTokens extends RMSecretManagerService {
    WithoutTokens(Configuration conf, RMContextImpl context) {
      super(conf, context);
    }

    @Override
    protected RMContainerTokenSecretManager createContainerTokenSecretManager(Configuration conf) {
      return new RMContainerTokenSecretManager(conf) {
        @Override
        public Token createContainerToken(ContainerId container, int version, NodeId node, String user, Resource capability,
            Priority priority, long created, LogAggregationContext logs, String label, ContainerType type, ExecutionType execution,
            long request, Set<String> tags) {
          return null;
        }
      };
    }

    @Override
    protected NMTokenSecretManagerInRM createNMTokenSecretManager(Configuration conf) {
      return new NMTokenSecretManagerInRM(conf) {
        @Override
        public NMToken createAndGetNMToken(String user, ApplicationAttemptId attempt, Container container) {
          return null;
        }
      };
    }
  }
}

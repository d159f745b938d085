import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/**
 * Records what Hadoop's Configuration makes of site files: cases in, the same with what came of them out, one JSON object a
 * line. With hadoop-common 3.4.2 and what it needs on the class path CP, Java 17:
 *
 *   javac -d CLASSES -cp CP Recorder.java
 *   env -i HOME=/home/op EMPTY= A:B=colon A-B=dash LANG=C.UTF-8 java -cp CLASSES:CP Recorder CASES.jsonl > recorded.jsonl
 */
public class Recorder {
  static final TreeSet<String> REFUSED = new TreeSet<>();

  public static void main(String[] args) throws Exception {
    Logger.getRootLogger().setLevel(Level.OFF);
    Logger logger = Logger.getLogger(Configuration.class);
    logger.setLevel(Level.WARN);
    logger.setAdditivity(false);
    logger.addAppender(new AppenderSkeleton() {
      protected void append(LoggingEvent event) {
        String text = event.getRenderedMessage();
        String mark = "an attempt to override final parameter: ";
        int at = text.indexOf(mark);
        if (at >= 0) {
          REFUSED.add(text.substring(at + mark.length(), text.lastIndexOf(";  Ignoring.")));
        }
      }
      public void close() { }
      public boolean requiresLayout() { return false; }
    });
    System.setProperty("site.system", "from the system");
    System.setProperty("site.nothing", "");
    ObjectMapper mapper = new ObjectMapper();
    try (BufferedReader in = Files.newBufferedReader(Paths.get(args[0]))) {
      for (String line; (line = in.readLine()) != null;) {
        ObjectNode record = (ObjectNode) mapper.readTree(line);
        record.set("expect", run(mapper, record.get("input")));
        System.out.println(mapper.writeValueAsString(record));
      }
    }
  }

  static ObjectNode run(ObjectMapper mapper, JsonNode input) throws Exception {
    ObjectNode out = mapper.createObjectNode();
    Path dir = Files.createTempDirectory("site");
    for (var file = input.get("files").fields(); file.hasNext();) {
      Map.Entry<String, JsonNode> entry = file.next();
      Files.write(dir.resolve(entry.getKey()), entry.getValue().asText().getBytes(StandardCharsets.UTF_8));
    }
    REFUSED.clear();
    try {
      Configuration conf = new Configuration(false);
      for (JsonNode name : input.get("load")) {
        conf.addResource(new org.apache.hadoop.fs.Path(dir.resolve(name.asText()).toString()));
      }
      for (JsonNode pair : input.path("set")) {
        conf.set(pair.get(0).asText(), pair.get(1).asText());
      }
      ObjectNode raw = out.putObject("raw");
      ObjectNode values = out.putObject("values");
      TreeMap<String, String> all = new TreeMap<>();
      for (Map.Entry<String, String> entry : conf) {
        all.put(entry.getKey(), entry.getValue());
      }
      for (Map.Entry<String, String> entry : all.entrySet()) {
        raw.put(entry.getKey(), entry.getValue());
        String key = entry.getKey();
        try {
          values.put(key, conf.get(key));
        } catch (IllegalStateException error) {
          values.putObject(key).put("error", error.getMessage());
        }
      }
      ArrayNode finals = out.putArray("final");
      new TreeSet<>(conf.getFinalParameters()).forEach(finals::add);
      ArrayNode refused = out.putArray("refused");
      REFUSED.forEach(refused::add);
    } catch (RuntimeException | StackOverflowError error) {
      out.removeAll();
      out.put("error", true);
      out.put("message", String.valueOf(error.getMessage()).replace(dir.toString() + File.separator, ""));
    }
    try (var paths = Files.list(dir)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Files.delete(path);
      }
    }
    Files.delete(dir);
    return out;
  }
}

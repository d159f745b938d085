import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.XMLUtils;
import org.w3c.dom.Element;

/**
 * Writes `names.tsv` and `bytes.jsonl`: what Hadoop 3.4.2's parsers of allocation files and of properties make of names of encodings and of bytes.
 * Needs hadoop-common and what it depends on; names beside those of Java's charsets are arguments.
 */
public class Recorder {
  static final byte[] NONE = {};
  static final StringBuilder LINES = new StringBuilder();

  static byte[] cat(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  static byte[] bytes(String hex) {
    return java.util.HexFormat.of().parseHex(hex);
  }

  static String json(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      boolean plain = c >= 0x20 && c <= 126 && c != '"' && c != '\\';
      out.append(plain ? String.valueOf(c) : String.format("\\u%04x", (int) c));
    }
    return out.append('"').toString();
  }

  /** The name of the first queue, as AllocationFileLoaderService reads the document. */
  static String queue(byte[] file) {
    try {
      DocumentBuilderFactory factory = XMLUtils.newSecureDocumentBuilderFactory();
      factory.setIgnoringComments(true);
      DocumentBuilder builder = factory.newDocumentBuilder();
      builder.setErrorHandler(null);
      Element first = (Element) builder.parse(new ByteArrayInputStream(file)).getDocumentElement().getFirstChild();
      return json(first.getAttribute("name"));
    } catch (Exception e) {
      return "null";
    }
  }

  /** The value of the property p. */
  static String value(byte[] file) {
    try {
      Configuration read = new Configuration(false);
      read.addResource(new ByteArrayInputStream(file), "file");
      String value = read.getRaw("p");
      return value == null ? "null" : json(value);
    } catch (RuntimeException e) {
      return "null";
    }
  }

  static byte[][] files(String declared, byte[] mark, String encoding, byte[] content) throws IOException {
    String head = declared == null ? "" : "<?xml version='1.0' encoding='" + declared + "'?>\n";
    return new byte[][] {
        cat(mark, (head + "<allocations><queue name='").getBytes(encoding), content, "'/></allocations>\n".getBytes(encoding)),
        cat(mark, (head + "<configuration><property><name>p</name><value>").getBytes(encoding), content,
            "</value></property></configuration>\n".getBytes(encoding))};
  }

  static void record(String what, String declared, byte[] mark, String encoding, byte[] content) throws IOException {
    byte[][] files = files(declared, mark, encoding, content);
    java.util.HexFormat hex = java.util.HexFormat.of();
    LINES.append(String.format("{\"what\":%s,\"allocations\":\"%s\",\"queue\":%s,\"properties\":\"%s\",\"value\":%s}%n",
        json(what), hex.formatHex(files[0]), queue(files[0]), hex.formatHex(files[1]), value(files[1])));
  }

  static void names(String[] more) throws IOException {
    Set<String> names = new TreeSet<>();
    for (Charset charset : Charset.availableCharsets().values()) {
      names.add(charset.name().toUpperCase());
      charset.aliases().forEach(alias -> names.add(alias.toUpperCase()));
    }
    for (String name : more) {
      names.add(name.toUpperCase());
    }
    StringBuilder out = new StringBuilder();
    for (String name : names) {
      byte[][] files = files(name, NONE, "US-ASCII", bytes("78"));
      out.append(name).append('\t').append(queue(files[0]).equals("\"x\"") ? 'D' : '-')
          .append(value(files[1]).equals("\"x\"") ? 'W' : '-').append('\n');
    }
    Files.writeString(Path.of("names.tsv"), out);
  }

  static void wide() throws IOException {
    String[] names = {null, "UTF-16", "utf-16", "UTF-16LE", "UTF-16BE", "UTF16", "UnicodeLittle", "unicode", "UTF-8", "ISO-8859-1", "US-ASCII",
        "GBK", "windows-1252", "ISO-10646-UCS-2", "bogus", "UTF-32", "UCS-2", "UTF-32LE", "UTF-32BE", "ISO-10646-UCS-4", "UCS-4"};
    for (String name : names) {
      for (String encoding : new String[] {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"}) {
        byte[] content = "\u00e9\u4e2d".getBytes(encoding);
        record(encoding + " with mark, declared " + name, name, "\ufeff".getBytes(encoding), encoding, content);
        record(encoding + " without mark, declared " + name, name, NONE, encoding, content);
      }
    }
    record("half of a pair", null, bytes("fffe"), "UTF-16LE", bytes("00d86100"));
    record("half of a pair", null, bytes("feff"), "UTF-16BE", bytes("dc000061"));
    record("half of a pair", "UTF-16", NONE, "UTF-16LE", bytes("00d86100"));
  }

  static void narrow() throws IOException {
    for (String name : new String[] {null, "UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16", "GBK", "UTF-16BE", "windows-1252", "UTF-32", "bogus"}) {
      record("UTF-8 with mark, declared " + name, name, bytes("efbbbf"), "US-ASCII", bytes("c3a9"));
    }
    for (String content : new String[] {"ff", "80", "e9", "e282", "c3", "c080", "eda080", "edb080", "f4908080", "f888808080", "00", "01", "efbfbf",
        "c285", "7f", "c280", "efbfbd"}) {
      record("UTF-8 " + content, "UTF-8", NONE, "US-ASCII", bytes(content));
    }
    byte[] high = new byte[128];
    for (int i = 0; i < high.length; i++) {
      high[i] = (byte) (128 + i);
    }
    for (String name : new String[] {"ISO-8859-1", "latin1", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4", "ISO-8859-5", "ISO-8859-6", "ISO-8859-7",
        "ISO-8859-8", "ISO-8859-9", "ISO-8859-11", "ISO-8859-13", "ISO-8859-15", "ISO-8859-16", "windows-1250", "windows-1251", "windows-1252",
        "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "windows-874", "KOI8-R", "KOI8-U", "IBM866",
        "TIS-620", "x-MacRoman", "US-ASCII"}) {
      record(name + " all", name, NONE, "US-ASCII", high);
    }
  }

  static void several() throws IOException {
    String[][] texts = {{"GBK", "\u751f\u4ea7\u961f\u5217\u6743\u91cd\u9f98\u3007"}, {"GB2312", "\u751f\u4ea7\u961f\u5217\u6743\u91cd"},
        {"GB18030", "\u751f\u4ea7\u961f\u5217\u3400\ud840\udc00\u00e9\u20ac"}, {"MS936", "\u751f\u4ea7\u20ac"},
        {"Big5", "\u4f47\u5217\u6b0a\u91cd"}, {"Big5-HKSCS", "\u4f47\u5217\u6b0a\u91cd\u5605"}, {"MS950", "\u4f47\u5217\u6b0a\u91cd"},
        {"Shift_JIS", "\u30ad\u30e5\u30fc\u91cd\u307f\u8a2d\u5b9a\uff76\uff77\\~"}, {"windows-31j", "\u30ad\u30e5\u30fc\u2460\u9ad9"},
        {"EUC-JP", "\u30ad\u30e5\u30fc\u91cd\u307f\u8a2d\u5b9a"}, {"ISO-2022-JP", "\u30ad\u30e5\u30fc\u91cd\u307fx"},
        {"EUC-KR", "\ud050 \uac00\uc911\uce58"}, {"MS949", "\ub620\ubc29\uac01\ud558"}, {"UTF-8", "\u00e9\u4e2d\ud83d\ude00"}};
    for (String[] text : texts) {
      record(text[0] + " text", text[0], NONE, "US-ASCII", text[1].getBytes(text[0]));
    }
    String[] broken = {"ff", "e9", "8e", "85", "81", "6181", "a1", "ff6162", "8130", "c3a978", "e4b8ad"};
    for (String name : new String[] {"GBK", "GB2312", "GB18030", "Big5", "Shift_JIS", "EUC-KR", "EUC-JP", "windows-31j", "MS949", "ISO-2022-JP"}) {
      for (String content : broken) {
        record(name + " " + content, name, NONE, "US-ASCII", bytes(content + "78"));
      }
    }
    for (String name : new String[] {"GB2312", "EUC-KR", "Shift_JIS"}) {
      for (String content : new String[] {"8140", "817e", "8740", "a2e6"}) {
        record(name + " " + content, name, NONE, "US-ASCII", bytes(content + "78"));
      }
    }
    for (String name : new String[] {"IBM437", "x-IBM942", "Cp850", "x-MacThai", "ISO-2022-KR", "x-EUC-TW"}) {
      record(name + " ascii", name, NONE, "US-ASCII", bytes("6162"));
    }
  }

  public static void main(String[] more) throws IOException {
    names(more);
    wide();
    narrow();
    several();
    Files.writeString(Path.of("bytes.jsonl"), LINES, StandardCharsets.US_ASCII);
  }
}

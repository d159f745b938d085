package io.evenweave.yarn;

/** Loads the native library as a ResourceManager with the class does, and says what has come of it. */
public final class Loading {
  public static void main(String[] args) throws Exception {
    try {
      Class.forName("io.evenweave.yarn.Native");
      System.out.println("loaded");
    } catch (ExceptionInInitializerError e) {
      System.out.println("not loaded: " + e.getCause().getMessage());
    }
  }

  private Loading() {}
}

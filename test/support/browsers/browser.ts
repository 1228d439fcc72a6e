/** A real browser, driven from outside. Disposal ends its process. */
export interface DrivenBrowser extends AsyncDisposable {
  /** Opens an empty tab. */
  newTab(): Promise<Tab>;
}

/** A tab or a window of a browser. */
export interface Tab {
  /** Opens an address as if it was typed: no page asks for it. Resolves when something was loaded, or the browser gave up. */
  open(url: string): Promise<void>;
  /** Loads again what it shows. */
  reload(): Promise<void>;
  /** Runs a script in the page that it shows, and returns what comes of it as JSON. */
  run(script: string): Promise<unknown>;
  /** Lets the page open a window, which it keeps as `opened`. */
  openWindow(url: string): Promise<Tab>;
  close(): Promise<void>;
}

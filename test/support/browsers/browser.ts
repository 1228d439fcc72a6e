/** A name that browsers take for this machine and do not trust, unlike `localhost`. */
export const OTHER_NAME = 'crew.test';

/** A real browser, driven from outside. Disposal ends its process. */
export interface DrivenBrowser extends AsyncDisposable {
  /** Opens an empty tab. */
  newTab(): Promise<Tab>;
}

/** A tab or a window of a browser. */
export interface Tab {
  /** Opens an address as if the user had typed it. Resolves when a page was loaded, or the browser gave up. */
  open(url: string): Promise<void>;
  /** Reloads the current page. */
  reload(): Promise<void>;
  /** Runs a script in the current page, and returns its result as JSON. */
  run(script: string): Promise<unknown>;
  /**
   * Makes the page open a window.
   *
   * @param act Script that opens it. @default {the page itself opens it, and keeps it as `opened`}
   */
  openWindow(url: string, act?: string): Promise<Tab>;
  /** Takes a picture of what it shows, as PNG. */
  screenshot(): Promise<Uint8Array>;
  close(): Promise<void>;
}

import type {InstalledProgram} from './program.ts';

/** Lets the system of one platform start the service when its user logs in. */
export interface Autostart {
  /** Place where the system finds it, such as the path of a unit. */
  readonly place: string;
  /** Advice for the user once it is installed. */
  readonly note: string;
  /**
   * Returns whether it is installed.
   *
   * @throws {AppError} `invalid-usage` if another program wrote what is there.
   */
  isInstalled(): Promise<boolean>;
  /**
   * Installs it, and starts the service; again with the new program if it is installed. Leaves nothing if the system refuses.
   *
   * @throws {AppError} `service-manager-failed`; `invalid-usage` if it cannot start this program.
   */
  install(program: InstalledProgram): Promise<void>;
  /** Returns the words of the system for an installed service. */
  status(): Promise<{readonly active: string; readonly enabled: string}>;
  /** Returns the last lines of the log. */
  logs(lines: number): Promise<string>;
  /** Stops the service, and removes everything that was installed. */
  uninstall(): Promise<void>;
}

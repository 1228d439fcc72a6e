import type {Permission} from './access.ts';

/** Permissions that the owner gave a plugin, beside those that every plugin has for its own data. */
export interface PluginGrants {
  /** Id of the plugin, which need not be installed. */
  readonly plugin: string;
  readonly permissions: readonly Permission[];
}

/** Permissions to give a plugin, unchecked. */
export interface RequestedGrants {
  readonly plugin: string;
  readonly permissions: readonly string[];
}

/** The port of the permissions of plugins. They count in all modes but `open`, in which plugins may do everything. */
export interface AccessGrants {
  /** Returns all plugins with permissions, in the order of their ids. */
  list(): readonly PluginGrants[];

  /**
   * Gives a plugin permissions. Idempotent.
   *
   * @throws {AppError} `invalid-grant-request` with the path of each problem.
   */
  grant(requested: RequestedGrants): Promise<void>;

  /**
   * Takes one permission of a plugin back, or all of them. Open streams of its page and its background end.
   *
   * @throws {AppError} `no-grant` if the plugin does not have it.
   */
  revoke(plugin: string, permission?: string): Promise<void>;
}

/** The permissions of plugins, as requests are judged by them. */
export interface GrantedPermissions {
  /** Returns the permissions that a plugin has now. */
  of(plugin: string): readonly Permission[];

  /**
   * Calls the listener once when a permission of a plugin is taken back; at once if one of those that it had is no longer there.
   *
   * @param had Permissions of the plugin when its request was admitted.
   * @returns A function that removes it.
   */
  onRevoked(plugin: string, had: readonly Permission[], listener: () => void): () => void;
}

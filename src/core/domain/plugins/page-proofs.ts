import type {PluginStatus} from './plugin.ts';

/** A plugin with a page. */
export type LabelledPlugin = Pick<PluginStatus, 'id' | 'label'>;

/**
 * The port of the host names at which pages of plugins prove themselves, in the mode `strict`: `<label>.crewroom.localhost`, where the label contains a
 * secret. A page sends its host name with every request, in `Host` or `Origin`, without knowing anything of it. Only the owner gets the label.
 */
export interface PageProofs {
  /** Returns the label with the secret of the page of a plugin; undefined if it has no page. */
  labelOf(plugin: LabelledPlugin): string | undefined;

  /** Returns the id of the plugin whose page has a label with a secret; undefined for any other label. */
  findPlugin(label: string): string | undefined;
}

/** Replaces everything in a host name that may be a part of a secret, for hosts that the service does not have. */
export function withoutHostSecrets(host: string): string {
  return host.replace(/[0-9a-f]{16,}/gi, '…');
}

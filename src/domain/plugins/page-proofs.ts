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

/** Replaces the secrets in host names of pages, also in malformed ones, for logs and failures. */
export function withoutPageSecrets(text: string): string {
  return text.replace(PAGE_SECRET, '-…');
}

/** Replaces everything in a host name that may be a part of a secret, for hosts that the service does not have. */
export function withoutHostSecrets(host: string): string {
  return host.replace(/[0-9a-f]{16,}/gi, '…');
}

/** A secret, which may be cut, before a name of the service. 16 of its 32 digits are too few to guess the rest, and as many as a plain label has. */
const PAGE_SECRET = /-[0-9a-f]{17,}(?=(?:%2e|[^\w%])*(?:crewroom|localhost))/gi;

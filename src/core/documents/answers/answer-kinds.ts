import * as v from 'valibot';
import {described, maybe} from '../kinds.ts';

// Kinds of members of answers. Nothing reads answers by these schemas: they describe them, and tests compare.

/** Any text. */
export const anyText = v.string();

/** A whole number. */
export const whole = v.pipe(v.number(), v.safeInteger());

/** A whole number, zero or more. */
export const count = v.pipe(whole, v.minValue(0));

/** A text that matches an expression. */
export function matching(expression: RegExp): v.GenericSchema<string> {
  return v.pipe(anyText, v.regex(expression));
}

/** Level of a line that a plugin logs. */
export const logLevel = v.picklist(['error', 'info', 'debug']);

/** State of a plugin. */
export const pluginState = v.picklist([
  'page-only',
  'waiting',
  'not-built',
  'starting',
  'running',
  'restarting',
  'stopped',
  'broken',
]);

/** A revision, of which 0 is none. */
export const revision = matching(/^(0|[1-9][0-9]*)$/);

/** The revision of an entry. */
export const entryRevision = matching(/^[1-9][0-9]*$/);

/** Id of a store. */
export const storeId = described(
  matching(/^[0-9a-z]{1,32}$/),
  'The store that the revisions belong to. Each store has revisions of its own.',
);

/** ETag of an entry. */
export const etag = described(
  matching(/^"[0-9a-z]{1,32}-(0|[1-9][0-9]*)"$/),
  'The same as an ETag, for `If-Match`: the id of the store and the revision, in quotes.',
);

/** A caller that is known, as `Written-By` and `writtenBy` name it. */
export const PRINCIPAL_PATTERN = '^(owner|(token|plugin):[A-Za-z0-9._-]+)$';

/** The caller that wrote an entry. */
export const writtenBy = maybe(
  matching(new RegExp(PRINCIPAL_PATTERN)),
  'The caller: `owner`, `token:` or `plugin:` and a name; absent if it is not known.',
);

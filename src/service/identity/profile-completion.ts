import {JsonIndex, type JsonSpan} from '../../core/json/json-index.ts';
import {formatSegment} from '../../core/json/json-path.ts';
import type {JsonText} from '../../core/json/json-text.ts';
import {isObject, type JsonMembers} from '../../core/json/members.ts';
import {SAMPLE_DOCUMENT} from './sample-document.ts';

/** A document with members of the sample in place of those that it lacks. */
export interface CompletedDocument {
  /** The text of all other members is unchanged. */
  readonly json: JsonText;
  /** The members that come from the sample, as JSONPaths. */
  readonly filled: readonly string[];
}

/**
 * Merges a partial identity document over the sample. Only members that are missing are filled in: one that is `null` or wrong stays. The account
 * on the platform may be absent, and is completed only if the document has it.
 */
export function completeDocument(json: JsonText): CompletedDocument {
  const index = new JsonIndex(json);
  const insertions = index.isObject(index.root) ? findInsertions(index, index.root, withoutAccount(index), '$') : [];
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const {at, text} of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(json.subarray(from, at), Buffer.from(text));
    from = at;
  }
  // Insertions of whole members keep a JSON text one.
  const completed = Buffer.concat([...parts, json.subarray(from)]) as Uint8Array as JsonText;
  return {json: completed, filled: insertions.flatMap(({paths}) => paths)};
}

interface Insertion {
  readonly at: number;
  readonly text: string;
  readonly paths: readonly string[];
}

/** Returns the sample with the account on the platform only if the document has one. */
function withoutAccount(index: JsonIndex): JsonMembers {
  const {vendor_design_user, ...others} = SAMPLE_DOCUMENT;
  const hasAccount = index.members(index.root).some(({name}) => name === 'vendor_design_user');
  return hasAccount ? {...others, vendor_design_user} : others;
}

function findInsertions(index: JsonIndex, object: JsonSpan, sample: JsonMembers, path: string): readonly Insertion[] {
  const spans = new Map(index.members(object).map(({name, valueSpan}) => [name, valueSpan]));
  const missing = Object.keys(sample).filter(name => !spans.has(name));
  const text = missing.map(name => `${JSON.stringify(name)}:${JSON.stringify(sample[name])}`).join(',');
  const own: Insertion = {
    at: object.start + 1,
    text: spans.size === 0 ? text : `${text},`,
    paths: missing.map(name => path + formatSegment(name)),
  };
  const inner = Object.entries(sample).flatMap(([name, value]) => {
    const span = spans.get(name);
    const isFilled = span !== undefined && index.isObject(span) && isObject(value);
    return isFilled ? findInsertions(index, span, value, path + formatSegment(name)) : [];
  });
  return missing.length === 0 ? inner : [own, ...inner];
}

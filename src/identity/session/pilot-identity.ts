import type {Identity, IdentityDocument} from '../../domain/identity.ts';
import {JsonIndex, type JsonSpan} from '../../domain/json-index.ts';
import {encodeJsonText, type JsonText} from '../../domain/json-text.ts';
import {applyMergePatch} from '../../domain/merge-patch.ts';
import type {Airline} from '../backend/airline-profile.ts';
import {cleanText} from '../backend/answer-text.ts';
import {readScriptUrl} from '../backend/script-url.ts';
import {summarise} from '../identity-document.ts';
import type {SessionRecord} from './session-record.ts';

/** What an identity document is put together from. */
export interface DocumentParts {
  readonly record: SessionRecord;
  readonly airline: Airline;
  /** The document of the profile, where there is one: its account on the platform and its other members are served too. */
  readonly profile?: Identity | undefined;
}

/** Puts the identity of a pilot who is signed in together. Every part keeps its text. */
export function composeIdentity({record, airline, profile}: DocumentParts): Identity {
  const members = profile === undefined ? [] : otherMembers(new JsonIndex(profile.json));
  const parts = [
    ...members,
    encode('"va_user":'),
    record.pilot,
    encode(',"airline":'),
    withBackEnd(airline.json, record),
  ];
  const json = Buffer.concat([encode('{'), ...parts, encode('}')]);
  const document = JSON.parse(json.toString()) as IdentityDocument;
  return {json, summary: cleanText(summarise(document), [record.session])};
}

/** Everything in a profile but the pilot and the airline, each member with a comma behind it. */
function otherMembers(index: JsonIndex): readonly Uint8Array[] {
  return index.members(index.root).flatMap(({name, nameSpan, valueSpan}) => {
    if (name === 'va_user' || name === 'airline') return [];
    return [index.json(nameSpan), encode(':'), index.json(valueSpan), encode(',')];
  });
}

/** The airline, with what its back end said of itself. */
function withBackEnd(airline: JsonText, {backEnd}: SessionRecord): JsonText {
  const settings = {
    scriptVersion: backEnd.apiVersion,
    ...(backEnd.name === undefined ? {} : {scriptHandler: backEnd.name}),
  };
  return applyMergePatch(airline, encodeJsonText(JSON.stringify({settings})));
}

/** The airline of a profile; undefined when its address is not one that pilots can sign in to. */
export function airlineOf(profile: Identity): Airline | undefined {
  const index = new JsonIndex(profile.json);
  const span = findLast(index, 'airline');
  if (span === undefined) return undefined;
  const json = index.json(span);
  const {settings} = JSON.parse(new TextDecoder().decode(json)) as IdentityDocument['airline'];
  const reading = readScriptUrl(settings.scriptURL);
  return 'problem' in reading ? undefined : {json, scriptURL: reading.scriptURL};
}

/** The value of a member; of several with one name the last one counts, as for `JSON.parse`. */
function findLast(index: JsonIndex, name: string): JsonSpan | undefined {
  return index.members(index.root).findLast(member => member.name === name)?.valueSpan;
}

function encode(text: string): Uint8Array {
  return Buffer.from(text);
}

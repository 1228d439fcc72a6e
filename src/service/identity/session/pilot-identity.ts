import type {Identity, IdentityDocument, IdentitySource} from '../../../core/domain/identity/identity.ts';
import {JsonIndex} from '../../../core/json/json-index.ts';
import {encodeJsonText, type JsonText} from '../../../core/json/json-text.ts';
import {applyMergePatch} from '../../../core/json/merge-patch.ts';
import {type BackEndAirline, makeAirline} from '../backend/airline-profile.ts';
import {readScriptUrl} from '../backend/script-url.ts';
import {cleanText} from '../clean-text.ts';
import {summarise} from '../identity-document.ts';
import type {SessionRecord} from './storage/session-file.ts';

/** The configuration that is part of the identity of every pilot. */
export interface Configured {
  /** The source of a profile, whose airline and platform account are used; another source has none. */
  readonly base: IdentitySource;
  /** The airline that is configured separately; it takes precedence over that of the profile. */
  readonly airline?: BackEndAirline | undefined;
}

/** Returns the airline that is configured; undefined if pilots choose their back end. */
export function airlineOf({base, airline}: Configured): BackEndAirline | undefined {
  const profile = profileOf(base);
  return airline ?? (profile && readAirline(profile));
}

/** Composes a session's identity. The text of every part stays unchanged; the profile is reread for each identity. */
export function composeIdentity(record: SessionRecord, configured: Configured): Identity {
  const profile = profileOf(configured.base);
  const airline = airlineOf(configured) ?? makeAirline(record.scriptURL);
  const parts = [
    ...(profile === undefined ? [] : otherMembers(new JsonIndex(profile.json))),
    ...[encode('"va_user":'), record.pilot],
    ...[encode(',"airline":'), withBackEnd(airline.json, record)],
  ];
  const json = Buffer.concat([encode('{'), ...parts, encode('}')]);
  const document = JSON.parse(json.toString()) as IdentityDocument;
  return {json, summary: cleanText(summarise(document), [record.session])};
}

function profileOf(base: IdentitySource): Identity | undefined {
  return base.origin.kind === 'profile' ? base.current() : undefined;
}

/** Returns the members of a profile except the pilot and the airline, each followed by a comma. */
function otherMembers(index: JsonIndex): readonly Uint8Array[] {
  return index.members(index.root).flatMap(({name, nameSpan, valueSpan}) => {
    if (name === 'va_user' || name === 'airline') return [];
    return [index.json(nameSpan), encode(':'), index.json(valueSpan), encode(',')];
  });
}

/** Adds the version and the name of the back end to the settings of the airline. */
function withBackEnd(airline: JsonText, {backEnd}: SessionRecord): JsonText {
  const settings = {
    scriptVersion: backEnd.apiVersion,
    ...(backEnd.name === undefined ? {} : {scriptHandler: backEnd.name}),
  };
  return applyMergePatch(airline, encodeJsonText(JSON.stringify({settings})));
}

/** The address of the back end in an identity document, as a JSONPath. */
const SCRIPT_URL = '$.airline.settings.scriptURL';

/** Returns the airline of a profile; undefined if its address comes from the sample, or if pilots cannot sign in at its address. */
function readAirline(profile: Identity): BackEndAirline | undefined {
  // No password may go to an address that the user did not write.
  if (profile.filled?.some(path => SCRIPT_URL.startsWith(path))) return undefined;
  const index = new JsonIndex(profile.json);
  // Of duplicates the last one counts, as for `JSON.parse()`.
  const member = index.members(index.root).findLast(({name}) => name === 'airline');
  if (member === undefined) return undefined;
  const json = index.json(member.valueSpan);
  const {settings} = JSON.parse(new TextDecoder().decode(json)) as IdentityDocument['airline'];
  const reading = readScriptUrl(settings.scriptURL);
  return 'problem' in reading ? undefined : {json, scriptURL: reading.scriptURL};
}

function encode(text: string): Uint8Array {
  return Buffer.from(text);
}

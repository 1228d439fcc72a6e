import type {Identity, IdentityDocument, IdentitySource} from '../../domain/identity/identity.ts';
import {JsonIndex, type JsonSpan} from '../../json/json-index.ts';
import {encodeJsonText, type JsonText} from '../../json/json-text.ts';
import {applyMergePatch} from '../../json/merge-patch.ts';
import {type BackEndAirline, makeAirline} from '../backend/airline-profile.ts';
import {readScriptUrl} from '../backend/script-url.ts';
import {cleanText} from '../clean-text.ts';
import {summarise} from '../identity-document.ts';
import type {SessionRecord} from './storage/session-record.ts';

/** Composes the identities of pilots who sign in. */
export interface PilotIdentities {
  /** Returns the airline that is configured; undefined if pilots choose their back end. */
  airline(): BackEndAirline | undefined;
  /** Composes the identity for a session. */
  compose(record: SessionRecord): Identity;
}

export interface PilotIdentitiesDeps {
  /** The source of a profile, whose airline and platform account are used; another source has none. */
  readonly base: IdentitySource;
  /** The airline that is configured separately; it takes precedence over that of the profile. */
  readonly airline?: BackEndAirline | undefined;
}

/** Returns the identities for this configuration. The profile is read again for each identity. */
export function createPilotIdentities({base, airline}: PilotIdentitiesDeps): PilotIdentities {
  const profile = (): Identity | undefined => (base.origin.kind === 'profile' ? base.current() : undefined);
  const configured = (): BackEndAirline | undefined => {
    const served = profile();
    return airline ?? (served && airlineOf(served));
  };
  return {
    airline: configured,
    compose: record =>
      composeIdentity({record, airline: configured() ?? makeAirline(record.scriptURL), profile: profile()}),
  };
}

interface DocumentParts {
  readonly record: SessionRecord;
  readonly airline: BackEndAirline;
  /** The profile, whose platform account and other members are served too. */
  readonly profile: Identity | undefined;
}

/** Composes an identity document. The text of every part stays unchanged. */
function composeIdentity({record, airline, profile}: DocumentParts): Identity {
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
function airlineOf(profile: Identity): BackEndAirline | undefined {
  // No password may go to an address that the user did not write.
  if (profile.filled?.some(path => SCRIPT_URL.startsWith(path))) return undefined;
  const index = new JsonIndex(profile.json);
  const span = findLast(index, 'airline');
  if (span === undefined) return undefined;
  const json = index.json(span);
  const {settings} = JSON.parse(new TextDecoder().decode(json)) as IdentityDocument['airline'];
  const reading = readScriptUrl(settings.scriptURL);
  return 'problem' in reading ? undefined : {json, scriptURL: reading.scriptURL};
}

/** Returns the value of a member. If the name is duplicated, the last one counts, as for `JSON.parse()`. */
function findLast(index: JsonIndex, name: string): JsonSpan | undefined {
  return index.members(index.root).findLast(member => member.name === name)?.valueSpan;
}

function encode(text: string): Uint8Array {
  return Buffer.from(text);
}

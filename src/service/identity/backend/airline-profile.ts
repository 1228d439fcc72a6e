import {AIRLINE} from '../../../core/documents/identity.ts';
import {checkValue, formatProblems} from '../../../core/documents/problems.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import type {DocumentProblem} from '../../../core/failures/members/problems.ts';
import {describeFileError, FileError, readTextFile} from '../../../core/files/text-file.ts';
import {readJsonDocument} from '../../../core/json/json-document.ts';
import {encodeJsonText, type JsonText} from '../../../core/json/json-text.ts';
import {isObject} from '../../../core/json/members.ts';
import {readScriptUrl} from './script-url.ts';

/** An airline, with the address where its pilots sign in. */
export interface BackEndAirline {
  /** The object exactly as in the file, unknown members included. */
  readonly json: JsonText;
  readonly scriptURL: string;
}

/** Largest airline profile, in bytes: the limit for identity documents, of which an airline is the largest part. */
const AIRLINE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads an airline profile: a file that contains the member `airline` of an identity document.
 *
 * @throws {AppError} `invalid-airline` with the problems and their paths.
 */
export async function readAirline(file: string): Promise<BackEndAirline> {
  const invalid = (...problems: readonly DocumentProblem[]): AppError =>
    new AppError({code: 'invalid-airline', file, problems});
  const bytes = await readTextFile(file, AIRLINE_BYTES_MAX).catch(error => {
    if (!(error instanceof FileError)) throw error;
    throw invalid({path: '$', problem: describeFileError(error, AIRLINE_BYTES_MAX)});
  });
  const document = readJsonDocument(bytes);
  if ('problem' in document) throw invalid(document.problem);
  const checked = checkValue(AIRLINE, withNulls(document.value), {withReceived: true});
  if ('found' in checked) throw invalid(...formatProblems(checked.found));
  const reading = readScriptUrl(checked.value.settings.scriptURL);
  if ('problem' in reading) throw invalid({path: '$.settings.scriptURL', problem: reading.problem});
  return {json: document.json, scriptURL: reading.scriptURL};
}

/** Settings that are served as `null` or not at all. */
const NULLABLE = {
  ...{welcomeMessage: null, maintenanceModeMessage: null},
  ...{logo: null, logoDark: null, icon: null, ico: null},
};

/** Returns an airline with `null` for the settings that may be missing, to check it: what is served stays as it is. */
function withNulls(airline: unknown): unknown {
  if (!isObject(airline) || !isObject(airline['settings'])) return airline;
  return {...airline, settings: {...NULLABLE, ...airline['settings']}};
}

/** The names of an airline, and the address of its back end. */
export interface AirlineNames {
  readonly name: string;
  /** Designator of three letters (ICAO Doc 8585); may be empty. */
  readonly icao: string;
  readonly scriptURL: string;
}

/** Returns an airline of which only the address is known, for users who sign in without configuring an airline. */
export function makeAirline(scriptURL: string): BackEndAirline {
  const airline = describeAirline({name: new URL(scriptURL).hostname, icao: '', scriptURL});
  return {json: encodeJsonText(JSON.stringify(airline)), scriptURL};
}

/** Formats an airline as a file, which {@link readAirline} reads, with defaults for what it has besides its names. */
export function formatAirlineFile(names: AirlineNames): string {
  return `${JSON.stringify(describeAirline(names), null, 2)}\n`;
}

function describeAirline({name, icao, scriptURL}: AirlineNames): object {
  return {
    id: 0,
    isPartner: false,
    settings: {
      airlineName: name,
      airlineICAO: icao,
      accentBackgroundColor: '#1B3A5C',
      accentForegroundColor: '#FFFFFF',
      welcomeMessage: null,
      maintenanceMode: false,
      maintenanceModeMessage: null,
      logo: null,
      logoDark: null,
      icon: null,
      scriptURL,
      vaURL: `${new URL(scriptURL).origin}/`,
      ico: null,
    },
    plugins: [],
  };
}

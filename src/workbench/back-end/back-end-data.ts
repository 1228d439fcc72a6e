import {fileURLToPath} from 'node:url';
import {AppError} from '../../core/failures/app-error.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {describeFileError, FileError, readTextFile} from '../../core/files/text-file.ts';
import {isObject, type JsonMembers, membersOf} from '../../core/json/members.ts';

/** The data of the sample: one file, to be copied and changed. */
export const SAMPLE_DATA_FILE = fileURLToPath(new URL('../../../templates/back-end.json', import.meta.url));

/** A pilot who can sign in. */
export interface PilotData {
  /** Signs in by this number, or by the e-mail address of the account. */
  readonly number: string;
  /** Undefined for a random one. */
  readonly password: string | undefined;
  /** JsonMembers of the answer, without the session. */
  readonly account: JsonMembers;
}

/** Content of the file of a back end. Everything but numbers, ids and codes is answered as it stands there. */
export interface BackEndData {
  /** The airline without its `scriptURL`. */
  readonly airline: JsonMembers;
  readonly pilots: readonly PilotData[];
  readonly airports: readonly JsonMembers[];
  readonly aircraft: readonly JsonMembers[];
  readonly flights: readonly JsonMembers[];
  /** Flights that are booked at the start: number of the pilot, and id of the flight. */
  readonly bookings: readonly {readonly pilot: string; readonly flightID: string}[];
  /** Answers of other routes, such as `GET data/tours`, to pilots who are signed in. */
  readonly answers: JsonMembers;
}

/** Largest file, in bytes: airports of the whole world take 2 MiB. */
const DATA_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads the data of a back end.
 *
 * @throws {AppError} `invalid-airline` with the problems and their paths.
 */
export async function readBackEndData(file: string): Promise<BackEndData> {
  const invalid = (...problems: readonly DocumentProblem[]): AppError =>
    new AppError({code: 'invalid-airline', file, problems});
  let document: unknown;
  try {
    document = JSON.parse((await readTextFile(file, DATA_BYTES_MAX)).toString());
  } catch (error) {
    const problem =
      error instanceof FileError ? describeFileError(error, DATA_BYTES_MAX) : `is not JSON: ${String(error)}`;
    throw invalid({path: '$', problem});
  }
  const members = membersOf(document);
  const lists = ['pilots', 'airports', 'aircraft', 'flights'] as const;
  const problems = [
    ...(isObject(members['airline']) ? [] : [{path: '$.airline', problem: 'has to be an object'}]),
    ...lists
      .filter(name => !isList(members[name]))
      .map(name => ({path: `$.${name}`, problem: 'has to be a list of objects'})),
  ];
  if (problems.length > 0) throw invalid(...problems);
  const data = readMembers(members);
  if (data.pilots.length === 0) throw invalid({path: '$.pilots', problem: 'has no pilot'});
  return data;
}

function readMembers(members: JsonMembers): BackEndData {
  return {
    airline: membersOf(members['airline']),
    pilots: listOf(members['pilots']).map(({number, password, account}) => ({
      number: String(number),
      password: typeof password === 'string' ? password : undefined,
      account: membersOf(account),
    })),
    ...{
      airports: listOf(members['airports']),
      aircraft: listOf(members['aircraft']),
      flights: listOf(members['flights']),
    },
    bookings: listOf(members['bookings']).map(({pilot, flightID}) => ({
      pilot: String(pilot),
      flightID: String(flightID),
    })),
    answers: membersOf(members['answers']),
  };
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}

function listOf(value: unknown): readonly JsonMembers[] {
  return Array.isArray(value) ? value.filter(isObject).map(membersOf) : [];
}

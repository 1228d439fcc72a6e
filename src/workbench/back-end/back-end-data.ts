import {fileURLToPath} from 'node:url';
import * as v from 'valibot';
import {ANY_OBJECT, named} from '../../core/documents/kinds.ts';
import {checkValue, formatProblems} from '../../core/documents/problems.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {describeFileError, FileError, readTextFile} from '../../core/files/text-file.ts';
import {type JsonMembers, membersOf} from '../../core/json/members.ts';

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
  const checked = checkValue(DATA, document);
  if ('found' in checked) throw invalid(...formatProblems(checked.found));
  const {pilots, bookings, ...others} = checked.value;
  return {
    ...others,
    pilots: pilots.map(({number, password, account}) => ({
      number: String(number),
      password: typeof password === 'string' ? password : undefined,
      account: membersOf(account),
    })),
    bookings: bookings.map(({pilot, flightID}) => ({pilot: String(pilot), flightID: String(flightID)})),
  };
}

const LIST = named('a list of objects', v.array(ANY_OBJECT));

const DATA = v.object({
  airline: ANY_OBJECT,
  pilots: v.pipe(LIST, v.minLength(1, 'has no pilot')),
  airports: LIST,
  aircraft: LIST,
  flights: LIST,
  bookings: v.optional(LIST, []),
  answers: v.optional(ANY_OBJECT, {}),
});

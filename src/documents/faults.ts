import * as v from 'valibot';
import {
  FAULT_DELAY_MS_MAX,
  FAULT_OFFSET_SECONDS_MAX,
  FAULT_PATH_LENGTH_MAX,
  FAULT_SEED_MAX,
  FAULTS_MAX,
  type Fault,
} from '../domain/faults/fault.ts';
import {isPluginId} from '../domain/plugins/plugin-id.ts';
import {AppError} from '../failures/app-error.ts';
import {listFaultCodes} from '../failures/facts.ts';
import {FAULT_KINDS} from '../failures/fault-mark.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {readJsonDocument} from '../json/json-document.ts';
import {formatSegment} from '../json/json-path.ts';
import {closed, described, named, withoutArrays} from './kinds.ts';
import {checkValue, formatProblems} from './problems.ts';

function wholeNumber(min: number, max: number) {
  return named(
    `a whole number from ${min} to ${max}`,
    v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
  );
}

const path = v.pipe(
  named('a path such as /api/store/*', v.pipe(v.string(), v.regex(/^[/*]/))),
  v.maxLength(FAULT_PATH_LENGTH_MAX, `is longer than ${FAULT_PATH_LENGTH_MAX} characters`),
);

const SELECTION = {
  path: described(
    v.optional(path),
    'Path without query; `*` stands for any characters. Without it all below `/api/` and `/plugins/`.',
  ),
  plugin: described(
    v.optional(named('the id of a plugin, such as com.example.hello', v.pipe(v.string(), v.check(isPluginId)))),
    'Id of the plugin whose background or page sends the request.',
  ),
  probability: described(
    v.optional(named('a number above 0 and up to 1', v.pipe(v.number(), v.gtValue(0), v.maxValue(1)))),
    'Share of these requests; 1 without it.',
  ),
  seed: described(
    v.optional(wholeNumber(0, FAULT_SEED_MAX)),
    'The same seed draws the same requests again; a random one is chosen if there is a probability.',
  ),
};

const code = named(
  'a code of a failure over HTTP, such as store-busy: "crewroom explain" lists them',
  v.picklist(listFaultCodes()),
);

const KINDS = [
  closed({
    kind: v.literal('delay'),
    delayMs: described(wholeNumber(1, FAULT_DELAY_MS_MAX), 'Wait before a request is handled.'),
    ...SELECTION,
  }),
  closed({
    kind: v.literal('error'),
    code: described(code, 'Code of the failure, which has its usual status.'),
    ...SELECTION,
  }),
  closed({kind: v.literal('cut'), ...SELECTION}),
  closed({kind: v.picklist(['disk-full', 'store-read-only', 'session-expired', 'airline-away'])}),
  closed({
    kind: v.literal('clock'),
    offsetSeconds: described(
      wholeNumber(1, FAULT_OFFSET_SECONDS_MAX),
      'The clock of the store is ahead. Only for a service in memory (`--ephemeral`).',
    ),
  }),
] as const;

/** A fault. */
const FAULT = withoutArrays(
  v.variant('kind', KINDS, ({path: place, input}) => {
    if (place === undefined) return 'has to be an object';
    return `${input === undefined ? 'is missing' : 'is unknown'}: use one of ${FAULT_KINDS.join(', ')}`;
  }),
) satisfies v.GenericSchema<unknown, Fault>;

/** Body and answer of /api/faults. */
export const FAULTS = closed({faults: v.pipe(v.array(FAULT), v.maxLength(FAULTS_MAX))});

/** Largest body that switches faults, in bytes: the largest number of faults with the longest paths. */
export const FAULTS_BYTES_MAX = 256 * 1024;

/**
 * Reads the body that switches faults.
 *
 * @throws {AppError} `invalid-faults` with the path of each problem.
 */
export function readFaults(body: Uint8Array): readonly Fault[] {
  const document = readJsonDocument(body);
  if ('problem' in document) throw invalid([document.problem]);
  const {value} = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid([{path: '$', problem: 'has to be an object with the member "faults"'}]);
  const {faults, ...others} = value as Readonly<Record<string, unknown>>;
  const reading = readFaultValues(faults, '$.faults');
  const problems = [
    ...('problems' in reading ? reading.problems : []),
    ...Object.keys(others)
      .slice(0, 1)
      .map(name => ({path: '$', problem: `has the unknown member ${JSON.stringify(name.slice(0, 64))}`})),
  ];
  if ('problems' in reading || problems.length > 0) throw invalid(problems);
  return reading.faults;
}

function invalid(problems: readonly DocumentProblem[]): AppError {
  return new AppError({code: 'invalid-faults', problems});
}

/** Result of reading faults from an untyped value. */
export type FaultReading = {readonly faults: readonly Fault[]} | {readonly problems: readonly DocumentProblem[]};

/**
 * Reads faults from a value of unknown type. A problem with one member does not hide the others.
 *
 * @param path The location of the value as a JSONPath.
 */
export function readFaultValues(given: unknown, path: string): FaultReading {
  if (!Array.isArray(given)) return {problems: [{path, problem: 'has to be an array'}]};
  if (given.length > FAULTS_MAX) return {problems: [{path, problem: `has more than ${FAULTS_MAX} elements`}]};
  const problems = given.flatMap((fault, at) => findFaultProblems(fault, path + formatSegment(at)));
  return problems.length > 0 ? {problems} : {faults: given};
}

/** Returns every problem of a value as a fault. @param path The location of the value as a JSONPath. */
export function findFaultProblems(fault: unknown, path: string): readonly DocumentProblem[] {
  const checked = checkValue(FAULT, withoutUndefined(fault));
  if ('value' in checked) return [];
  return formatProblems(checked.found).map(each => ({...each, path: path + each.path.slice('$'.length)}));
}

/** Removes members that are undefined, as programs may have them: they count as missing. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

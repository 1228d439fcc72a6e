import {isFaultCode} from '../failures/facts.ts';
import {FAULT_KINDS, type FaultKind} from '../failures/fault-mark.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {
  FAULT_DELAY_MS_MAX,
  FAULT_OFFSET_SECONDS_MAX,
  FAULT_PATH_LENGTH_MAX,
  FAULT_SEED_MAX,
  FAULTS_MAX,
  type Fault,
} from './fault.ts';
import {formatSegment} from './json-path.ts';
import {isPluginId} from './plugin-id.ts';

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

/** Returns every problem of a value as a fault. */
export function findFaultProblems(fault: unknown, path: string): readonly DocumentProblem[] {
  if (!isObject(fault)) return [{path, problem: 'has to be an object'}];
  const {kind, ...members} = fault;
  if (!isKind(kind))
    return [
      {
        path: `${path}.kind`,
        problem: `${kind === undefined ? 'is missing' : 'is unknown'}: use one of ${FAULT_KINDS.join(', ')}`,
      },
    ];
  const checks: Readonly<Record<string, Check>> = MEMBERS[kind];
  const missing = Object.keys(checks).filter(name => !isOptional(name) && members[name] === undefined);
  return [
    ...missing.map(name => ({path: path + formatSegment(name), problem: 'is missing'})),
    ...Object.entries(members).flatMap(([name, value]) => findMemberProblem(name, value, checks, path)),
  ];
}

/** Returns the problem with a value of a member; undefined if there is none. */
type Check = (value: unknown) => string | undefined;

function findMemberProblem(
  name: string,
  value: unknown,
  checks: Readonly<Record<string, Check>>,
  path: string,
): readonly DocumentProblem[] {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (value === undefined && (check === undefined || isOptional(name))) return [];
  const problem = check === undefined ? 'is not known here' : check(value);
  return problem === undefined ? [] : [{path: path + formatSegment(name.slice(0, SHOWN_LENGTH_MAX)), problem}];
}

/** Maximum length of an unknown name in a problem, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 64;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKind(kind: unknown): kind is FaultKind {
  return FAULT_KINDS.some(each => each === kind);
}

function isOptional(name: string): boolean {
  return Object.hasOwn(SELECTION, name);
}

function wholeNumber(min: number, max: number): Check {
  return value =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : `has to be a whole number from ${min} to ${max}`;
}

function findPathProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[/*]/.test(value)) return 'has to be a path such as /api/store/*';
  return value.length > FAULT_PATH_LENGTH_MAX ? `is longer than ${FAULT_PATH_LENGTH_MAX} characters` : undefined;
}

function findProbabilityProblem(value: unknown): string | undefined {
  return typeof value === 'number' && value > 0 && value <= 1 ? undefined : 'has to be a number above 0 and up to 1';
}

const SELECTION = {
  path: findPathProblem,
  plugin: value =>
    typeof value === 'string' && isPluginId(value)
      ? undefined
      : 'has to be the id of a plugin, such as com.example.hello',
  probability: findProbabilityProblem,
  seed: wholeNumber(0, FAULT_SEED_MAX),
} as const satisfies Readonly<Record<string, Check>>;

const MEMBERS: {readonly [K in FaultKind]: Readonly<Record<string, Check>>} = {
  delay: {delayMs: wholeNumber(1, FAULT_DELAY_MS_MAX), ...SELECTION},
  error: {
    code: value =>
      typeof value === 'string' && isFaultCode(value)
        ? undefined
        : 'has to be a code of a failure over HTTP, such as store-busy: docs/errors.md lists them',
    ...SELECTION,
  },
  cut: SELECTION,
  'disk-full': {},
  'store-read-only': {},
  'session-expired': {},
  'airline-away': {},
  clock: {offsetSeconds: wholeNumber(1, FAULT_OFFSET_SECONDS_MAX)},
};

import * as v from 'valibot';
import {
  FAULT_DELAY_MS_MAX,
  FAULT_OFFSET_SECONDS_MAX,
  FAULT_PATH_LENGTH_MAX,
  FAULTS_MAX,
  type Fault,
} from '../domain/faults/fault.ts';
import {isPluginId} from '../domain/plugins/plugin-id.ts';
import {listFaultCodes} from '../failures/facts.ts';
import {FAULT_KINDS} from '../failures/failure.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {isObject} from '../json/members.ts';
import {closed, described, maybe, named, withoutArrays} from './kinds.ts';
import {checkValue, formatProblems} from './problems.ts';

function wholeNumber(min: number, max: number) {
  return named(
    `a whole number from ${min} to ${max}`,
    v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
  );
}

const PATH_PROBLEM = 'has to be a path such as /api/store/*';

const path = v.config(
  v.pipe(
    v.string(PATH_PROBLEM),
    v.regex(/^[/*]/, PATH_PROBLEM),
    v.maxLength(FAULT_PATH_LENGTH_MAX, `is longer than ${FAULT_PATH_LENGTH_MAX} characters`),
  ),
  {abortPipeEarly: true},
);

const SELECTION = {
  path: maybe(path, 'Path without query; `*` stands for any characters. Without it all below `/api/` and `/plugins/`.'),
  plugin: maybe(
    named('the id of a plugin, such as com.example.hello', v.pipe(v.string(), v.check(isPluginId))),
    'Id of the plugin whose background or page sends the request.',
  ),
};

const code = v.picklist(
  listFaultCodes(),
  'has to be a code of a failure over HTTP, such as busy: "crewroom explain" lists them',
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
export const FAULT_LIST = closed({
  faults: v.pipe(v.array(FAULT), v.maxLength(FAULTS_MAX, `has more than ${FAULTS_MAX} elements`)),
});

/** Returns every problem of faults that a program gives. Members that are undefined count as missing. */
export function findFaultProblems(given: unknown): readonly DocumentProblem[] {
  const faults = Array.isArray(given) ? given.map(withoutUndefined) : given;
  const checked = checkValue(FAULT_LIST, {faults});
  return 'value' in checked ? [] : formatProblems(checked.found);
}

function withoutUndefined(value: unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
    : value;
}

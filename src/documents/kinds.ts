import * as v from 'valibot';
import {UNKNOWN_MEMBER} from './problems.ts';

/** Maximum length of an unknown name in a problem, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 64;

type AnySchema = v.GenericSchema<unknown, unknown>;
type Dataset = ReturnType<AnySchema['~run']>;
type Config = Parameters<AnySchema['~run']>[1];
/** The parts of an issue that a schema may choose. */
interface Issue {
  readonly message: string;
  readonly input: unknown;
  readonly expected: string;
  readonly path: readonly {readonly key: PropertyKey}[];
}
type Run = (this: AnySchema, ...args: Parameters<AnySchema['~run']>) => Dataset;

/** Adds a problem with a value to the result of checking it. Its path is that from the value to the part with the problem. */
function addIssue(schema: AnySchema, dataset: unknown, config: Config, more: Partial<Issue> = {}): Dataset {
  (v._addIssue as (...args: readonly unknown[]) => void)(schema, 'value', dataset, config, more);
  return dataset as Dataset;
}

/** Returns a schema with another way to check a value. */
function withRun<S>(schema: S, run: Run): S {
  return {...schema, '~run': run};
}

/** Refuses arrays, which are objects to valibot. */
export function withoutArrays<S extends AnySchema>(schema: S): S {
  return withRun(schema, function (dataset, config) {
    if (!Array.isArray(dataset.value)) return schema['~run'](dataset, config);
    return addIssue(this, dataset, config);
  });
}

/** An object that may have other members. */
export function open<const E extends v.ObjectEntries>(entries: E): v.LooseObjectSchema<E, undefined> {
  return withoutArrays(v.looseObject(entries));
}

/** An object without other members. Each of them is a problem; valibot stops at the first. */
export function closed<const E extends v.ObjectEntries>(entries: E): v.StrictObjectSchema<E, undefined> {
  const known = v.object(entries);
  const schema = withRun(v.strictObject(entries), function (dataset, config) {
    const given = dataset.value;
    const checked = known['~run'](dataset, config);
    for (const [name, input] of typeof given === 'object' ? Object.entries(given ?? {}) : []) {
      if (Object.hasOwn(entries, name)) continue;
      const path = [{key: name.slice(0, SHOWN_LENGTH_MAX)}];
      addIssue(this, checked, config, {input, expected: UNKNOWN_MEMBER, path});
    }
    return checked;
  });
  return withoutArrays(schema);
}

/** An object with members of any names and of one kind. Unlike a record of valibot it may have members such as `constructor`. */
export function mapOf<V extends AnySchema>(kind: V): v.RecordSchema<v.StringSchema<undefined>, V, undefined> {
  const record = v.record(v.string(), kind);
  const schema = withRun(record, (dataset, config) => {
    const given = dataset.value;
    if (typeof given !== 'object' || given === null) return record['~run'](dataset, config);
    const members = Object.entries(given);
    const checked = v.array(kind)['~run']({value: members.map(([, value]) => value)}, config);
    // Their paths begin with the index in that array.
    for (const {path} of checked.issues ?? [])
      if (path !== undefined) path[0] = {...path[0], key: members[Number(path[0].key)]?.[0]} as v.IssuePathItem;
    const values = checked.value as readonly unknown[];
    return {...checked, value: Object.fromEntries(members.map(([name], at) => [name, values[at]]))} as Dataset;
  });
  return withoutArrays(schema);
}

/** A value that is one problem if it does not fit, whatever part of it does not. @param expected Its name in the problem. */
export function named<S extends AnySchema>(expected: string, schema: S): S {
  return withRun(schema, function (dataset, config) {
    const checked = schema['~run']({value: dataset.value}, config);
    if (checked.issues === undefined) return checked;
    return addIssue(this, dataset, config, {message: `has to be ${expected}`});
  });
}

/** One of a few strings. */
export function oneOf<const T extends readonly [string, ...string[]]>(...values: T): v.PicklistSchema<T, undefined> {
  const quoted = values.map(value => JSON.stringify(value));
  const expected = [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(text => text !== '').join(' or ');
  return named(expected, v.picklist(values));
}

/** A kind with a description in JSON Schemas. */
export function described<S extends AnySchema>(
  kind: S,
  description: string,
): v.SchemaWithPipe<readonly [S, v.DescriptionAction<v.InferOutput<S>, string>]> {
  return v.pipe(kind, v.description(description));
}

const DATE =
  /(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|(?:02)-(?:0[1-9]|1\d|2[0-8]))/
    .source;
const CLOCK = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?/.source;
const OFFSET = /([+-](?:[01]\d|2[0-3]):[0-5]\d)/.source;

/** A time (RFC 3339), UTC. */
export const TIME = v.pipe(
  v.string(),
  v.regex(new RegExp(`^(?:${DATE})T(?:${CLOCK}(?:Z))$`)),
  v.metadata({format: 'date-time'}),
);

/** Regular expression of times (RFC 3339) of any zone. */
export const ZONED_TIME_PATTERN = `^(?:${DATE})T(?:${CLOCK}(?:Z|${OFFSET}))$`;

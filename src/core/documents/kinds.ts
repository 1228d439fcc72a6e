import * as v from 'valibot';
import {isObject, type JsonMembers} from '../json/members.ts';
import {UNKNOWN_MEMBER} from './problems.ts';

type AnySchema = v.GenericSchema<unknown, unknown>;

/** An object with members of any names, also such as `constructor`, which a record of valibot loses. */
export const ANY_OBJECT = v.pipe(
  v.custom<JsonMembers>(isObject),
  v.metadata({type: 'object', propertyNames: {type: 'string'}, additionalProperties: {}}),
);

/** Refuses arrays, which are objects to valibot. */
export function withoutArrays<S extends AnySchema>(schema: S): S {
  return {...schema, ...v.pipe(v.custom<unknown>(isObject), schema)};
}

/** An object that may have other members. */
export function open<const E extends v.ObjectEntries>(entries: E): v.LooseObjectSchema<E, undefined> {
  return withoutArrays(v.looseObject(entries));
}

/** An object without other members. Each of them is a problem; valibot stops at the first. */
export function closed<const E extends v.ObjectEntries>(entries: E): v.StrictObjectSchema<E, undefined> {
  const addOthers = v.rawCheck<v.InferOutput<v.StrictObjectSchema<E, undefined>>>(({dataset, addIssue}) => {
    const own = dataset.issues?.find(
      ({type, expected, path}) => path?.length === 1 && type === 'strict_object' && expected === UNKNOWN_MEMBER,
    );
    for (const item of own?.path ?? [])
      for (const key of Object.keys(item.input as object))
        if (key !== item.key && !Object.hasOwn(entries, key))
          addIssue({expected: UNKNOWN_MEMBER, path: [{...item, key} as v.IssuePathItem]});
  });
  return withoutArrays(v.pipe(v.strictObject(entries), addOthers));
}

/** A value that is one problem if it does not fit, whatever part does not. @param expected Its name in the problem. */
export function named<S extends AnySchema>(expected: string, schema: S): v.GenericSchema<unknown, v.InferOutput<S>> {
  const misfit = Symbol() as v.InferOutput<S>;
  const fitting = v.fallback(v.config(schema, {abortEarly: true}), misfit as never);
  return v.pipe(
    v.unknown(),
    fitting,
    v.check(value => value !== misfit, `has to be ${expected}`),
  );
}

/** One of a few strings. */
export function oneOf<const T extends readonly [string, ...string[]]>(...values: T): v.PicklistSchema<T, string> {
  const quoted = values.map(value => JSON.stringify(value));
  const expected = [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(text => text !== '').join(' or ');
  return v.picklist(values, `has to be ${expected}`);
}

/** A kind with a description in JSON Schemas. */
export function described<S extends AnySchema>(
  kind: S,
  description: string,
): v.SchemaWithPipe<readonly [S, v.DescriptionAction<v.InferOutput<S>, string>]> {
  return v.pipe(kind, v.description(description));
}

/** A member that may be absent, with its description. */
export function maybe<S extends AnySchema>(kind: S, description: string): v.OptionalSchema<S, undefined> {
  return described(v.optional(kind, undefined), description);
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

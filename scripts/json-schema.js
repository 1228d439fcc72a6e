// Converts schemas of documents to JSON Schema, for openapi.json and for editors.

import {toJsonSchema} from '@valibot/to-json-schema';
import {parse} from 'valibot';

/** Rules that JSON Schema cannot express, or that a described regular expression repeats. */
const UNWRITTEN_ACTIONS = ['check', 'finite', 'transform'];

/**
 * Converts a schema to JSON Schema (draft 2020-12), without `$schema`.
 *
 * @param schema Schema of valibot.
 * @param {'input' | 'output'} typeMode Whether to describe what the schema reads, or what it makes of it.
 */
export function convertSchema(schema, typeMode = 'output') {
  const {$schema, ...members} = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode,
    ignoreActions: UNWRITTEN_ACTIONS,
    overrideSchema: ({valibotSchema, jsonSchema, errors}) => {
      if (errors !== undefined && valibotSchema.type !== 'custom') throw new Error(errors.join(' '));
      return complete(jsonSchema, valibotSchema);
    },
  });
  return members;
}

function complete({required, oneOf, ...members}, schema) {
  const {anyOf = oneOf, default: given, ...others} = members;
  return {
    ...others,
    ...(required?.length > 0 && {required}),
    ...(schema.type === 'loose_object' && {additionalProperties: {}}),
    ...('const' in members && {type: typeof members.const}),
    // The value that a query has without the parameter, not the text that it is read from.
    ...(given !== undefined && {default: parse(schema, undefined)}),
    ...(anyOf !== undefined && uniteTypes(anyOf)),
  };
}

/** Writes alternatives that have nothing but types as one list of types. */
function uniteTypes(anyOf) {
  const areTypes = anyOf.every(each => typeof each.type === 'string' && Object.keys(each).length === 1);
  return areTypes ? {type: anyOf.map(({type}) => type)} : {anyOf};
}

// Converts schemas of documents to JSON Schema, for openapi.json and for editors.

import {toJsonSchema, toJsonSchemaDefs} from '@valibot/to-json-schema';
import {parse} from 'valibot';

/** Rules that JSON Schema cannot express, or that a described regular expression repeats. */
const UNWRITTEN_ACTIONS = ['check', 'finite', 'raw_check', 'transform'];

/** Converts a schema to JSON Schema (draft 2020-12), without `$schema`. */
export function convertSchema(schema) {
  const {$schema, ...members} = toJsonSchema(schema, OPTIONS);
  return members;
}

/** Converts schemas with names to components of an OpenAPI document, which refer to each other. */
export function convertComponents(schemas) {
  const overrideRef = ({referenceId}) => `#/components/schemas/${referenceId}`;
  return toJsonSchemaDefs(schemas, {...OPTIONS, overrideRef});
}

const OPTIONS = {
  target: 'draft-2020-12',
  // A pipe begins with what it refuses, and ends with the kind.
  typeMode: 'output',
  ignoreActions: UNWRITTEN_ACTIONS,
  overrideSchema: ({valibotSchema, jsonSchema, errors}) => {
    if (errors !== undefined && valibotSchema.type !== 'custom') throw new Error(errors.join(' '));
    return complete(jsonSchema, valibotSchema);
  },
};

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

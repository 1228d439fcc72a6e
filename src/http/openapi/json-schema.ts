import {z} from 'zod';

/** A JSON Schema (draft 2020-12, which OpenAPI 3.1 uses), or any other JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Converts a schema to JSON Schema. */
export function toSchema(schema: z.ZodType): JsonObject {
  const {$schema, ...members} = z.toJSONSchema(schema, {io: 'output', unrepresentable: 'any'});
  return members;
}

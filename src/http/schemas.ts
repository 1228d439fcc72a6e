import {z} from 'zod';
import {LIST_LIMIT, LIST_LIMIT_MAX} from '../domain/entries.ts';
import {KEY_BYTES_MAX} from '../domain/key.ts';
import {invalidParameter, parseQuery} from './route.ts';

/** A parameter that is either `true` or `false`, written out. */
const flag = z
  .enum(['true', 'false'], {error: 'it is "true" or "false"'})
  .transform(text => text === 'true')
  .optional();

const LIMIT_PROBLEM = `it is a whole number from 1 to ${LIST_LIMIT_MAX}`;

const prefix = z.string().meta({
  description: `Only keys that begin with it; at most ${KEY_BYTES_MAX} bytes of UTF-8.`,
  example: 'com.example.hello/',
});

/** The parameters of GET /api/keys. */
export const LIST_QUERY = z.strictObject({
  prefix: prefix.default(''),
  after: z.string().optional().meta({description: 'The cursor `next` of the page before: only keys beyond it.'}),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/, {error: LIMIT_PROBLEM})
    .transform(Number)
    .refine(limit => limit <= LIST_LIMIT_MAX, {error: LIMIT_PROBLEM})
    .optional()
    .meta({
      description: `How many entries at most, from 1 to ${LIST_LIMIT_MAX}; ${LIST_LIMIT} without it.`,
      example: '100',
    }),
  reverse: flag.meta({description: 'From the last key to the first.'}),
  values: flag.meta({description: 'Whether the values come too.'}),
});

/** The parameters of DELETE /api/keys. */
export const DELETE_RANGE_QUERY = z
  .strictObject({
    prefix: prefix.meta({
      description: 'Deletes every entry whose key begins with it; it may be empty only with `all=true`.',
    }),
    all: flag.meta({description: 'Confirms that an empty prefix deletes every entry.'}),
  })
  .refine(({prefix: text, all}) => text !== '' || all === true, {
    path: ['prefix'],
    error: 'it may be empty only with all=true',
  });

/**
 * Reads a query as a schema wants it.
 *
 * @throws {AppError} `invalid-parameter` with the first problem; also for a parameter that the schema lacks.
 */
export function readParameters<T>(query: string, schema: z.ZodType<T>): T {
  const result = schema.safeParse(parseQuery(query));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    throw invalidParameter(issue.keys[0] ?? '', 'the operation has no such parameter');
  }
  const missing = issue?.code === 'invalid_type' && issue.input === undefined;
  throw invalidParameter(
    String(issue?.path[0] ?? ''),
    missing ? 'it is required' : (issue?.message ?? 'it is not as it should be'),
  );
}

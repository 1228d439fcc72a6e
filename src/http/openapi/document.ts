import type {z} from 'zod';
import {KEY_BYTES_MAX} from '../../domain/fixed-limits.ts';
import type {Limits} from '../../domain/limits.ts';
import {findStatus} from '../../failures/facts.ts';
import type {FailureCode} from '../../failures/failure.ts';
import {adviseOnFailure} from '../../failures/failure-advice.ts';
import {ACCESS_OPERATIONS} from './access-operations.ts';
import {SIGN_IN} from './identity-schemas.ts';
import {type JsonObject, toSchema} from './json-schema.ts';
import {
  ANSWER_HEADERS,
  type AnswerDescription,
  COMMON_FAILURES,
  OPERATIONS,
  type OperationDescription,
  REQUEST_HEADERS,
} from './operations.ts';
import {PLUGIN_OPERATIONS} from './plugin-operations.ts';
import {REQUEST_BODIES} from './request-bodies.ts';
import {createTransactionSchema, PAGE, PROBLEM} from './schemas.ts';

/** Options of {@link buildOpenApi}. */
export interface OpenApiOptions {
  readonly version: string;
  readonly identitySchema: JsonObject;
  readonly limits: Limits;
}

/** Builds the OpenAPI 3.1 document from the schemas that read requests and the table of failures. */
export function buildOpenApi({version, identitySchema, limits}: OpenApiOptions): JsonObject {
  const paths = Object.entries({...OPERATIONS, ...PLUGIN_OPERATIONS, ...ACCESS_OPERATIONS}).map(
    ([path, operations]) => {
      const described = Object.entries(operations).map(([method, operation]) => [
        method.toLowerCase(),
        describeOperation(operation, limits),
      ]);
      const parameters = PATH_PARAMETERS.filter(({name}) => path.includes(`{${name}}`));
      return [path, {...(parameters.length === 0 ? {} : {parameters}), ...Object.fromEntries(described)}];
    },
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crewroom',
      version,
      description: DESCRIPTION,
      license: {name: 'MIT', identifier: 'MIT'},
    },
    servers: [{url: '/'}],
    security: [],
    tags: [
      {name: 'Identity', description: 'The pilot.'},
      {name: 'Store', description: 'JSON values under keys, durable once acknowledged.'},
      {name: 'Events', description: 'Changes, as they happen.'},
      {name: 'Plugins', description: 'Plugins, and what they ask of the client that shows them.'},
      {name: 'Service', description: 'The service itself.'},
    ],
    paths: Object.fromEntries(paths),
    components: {
      schemas: {
        Identity: identitySchema,
        Value: VALUE_SCHEMA,
        MergePatch: MERGE_PATCH_SCHEMA,
        Transaction: toSchema(createTransactionSchema(limits)),
        SignIn: toSchema(SIGN_IN),
        Page: toSchema(PAGE),
        Problem: toSchema(PROBLEM),
      },
    },
  };
}

const DESCRIPTION = `The local service that virtual-airline plugins talk to.

Local programs need no credentials. Web pages may call it only from origins that it was started with
(\`--allow-origin\`). Every failure is a problem document (RFC 9457) with a stable \`code\`.

While faults are switched on (\`/api/faults\`), operations below \`/api/\` may fail with other codes than those that are described. Answers
that a fault changed have the header \`Crewroom-Fault\`, with its kind.`;

const VALUE_SCHEMA: JsonObject = {description: 'Any JSON text, stored and returned byte for byte.'};

const MERGE_PATCH_SCHEMA: JsonObject = {
  description:
    'Members of an object replace those of the same name, `null` removes them, nested objects are merged likewise; anything else replaces the whole value (RFC 7396).',
};

const KEY_PARAMETER = {
  name: 'key',
  in: 'path',
  required: true,
  description: `1 to ${KEY_BYTES_MAX} bytes of UTF-8 without control characters, percent-encoded as one segment; \`%2F\` is a slash in the key. Not \`.\` or \`..\`.`,
  schema: {type: 'string', minLength: 1, maxLength: KEY_BYTES_MAX},
  example: 'com.example.hello',
};

const PATH_PARAMETERS: readonly (JsonObject & {readonly name: string})[] = [
  KEY_PARAMETER,
  describeName('id', 'Id of the plugin; for settings also `core`.', 'com.example.hello'),
  describeName('plugin', 'Id of the plugin.', 'com.example.hello'),
  describeName('name', 'Name of the route.', 'greeting'),
  describeName('token', 'Name of the token.', 'backup'),
];

function describeName(name: string, description: string, example: string): JsonObject & {readonly name: string} {
  return {name, in: 'path', required: true, description, schema: {type: 'string', minLength: 1}, example};
}

function describeOperation(operation: OperationDescription, limits: Limits): JsonObject {
  const {operationId, tag, summary, description, query, headers = [], body} = operation;
  const schema = typeof query === 'function' ? query(limits) : query;
  const parameters = [...(schema === undefined ? [] : queryParameters(schema)), ...headers.map(headerParameter)];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : {description}),
    ...(parameters.length === 0 ? {} : {parameters}),
    ...(body === undefined ? {} : {requestBody: REQUEST_BODIES[body]}),
    responses: describeResponses(operation),
  };
}

/** Describes each member of a query schema as a parameter. */
function queryParameters(query: z.ZodType): readonly JsonObject[] {
  // The output schema: a number, for example, not the text that it is parsed from.
  const {properties = {}, required = []} = toSchema(query) as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, {description, ...schema}]) => ({
    name,
    in: 'query',
    required: required.includes(name) && !('default' in schema),
    description,
    schema,
  }));
}

function headerParameter(name: keyof typeof REQUEST_HEADERS): JsonObject {
  return {name, in: 'header', required: false, description: REQUEST_HEADERS[name], schema: {type: 'string'}};
}

function describeResponses({answers, failures, anyAnswer}: OperationDescription): JsonObject {
  const responses = new Map<string, JsonObject>();
  for (const [status, codes] of groupByStatus(new Set([...COMMON_FAILURES, ...failures])))
    responses.set(status, describeFailures(codes));
  for (const [status, answered] of Object.entries(answers)) {
    const failed = responses.get(status);
    responses.set(
      status,
      failed === undefined ? describeAnswer(answered) : mergeResponses(describeAnswer(answered), failed),
    );
  }
  const sorted = [...responses].sort(([a], [b]) => Number(a) - Number(b));
  if (anyAnswer === undefined) return Object.fromEntries(sorted);
  const known = sorted.map(([status, {content, ...response}]) => [
    status,
    {...response, content: {...(content as JsonObject), ...ANY_CONTENT}},
  ]);
  return {...Object.fromEntries(known), default: {description: anyAnswer, content: ANY_CONTENT}};
}

/** Content of any type: it applies unless a more specific type does. */
const ANY_CONTENT = {'*/*': {}};

/** Merges the answer and the failures of one status, which differ in their content type. */
function mergeResponses(answered: JsonObject, failed: JsonObject): JsonObject {
  return {
    description: `${answered['description']} ${failed['description']}`,
    content: {...(answered['content'] as JsonObject), ...(failed['content'] as JsonObject)},
  };
}

function describeAnswer({
  description,
  schema,
  contentType = 'application/json',
  streamType,
  headers = [],
}: AnswerDescription): JsonObject {
  const described = headers.map(name => {
    const {pattern, ...header} = ANSWER_HEADERS[name];
    return [name, {...header, schema: {type: 'string', pattern}}];
  });
  const body = typeof schema === 'string' ? {$ref: `#/components/schemas/${schema}`} : schema && toSchema(schema);
  const stream = streamType === undefined ? {} : {[streamType]: {schema: {type: 'string'}}};
  const hasBody = body !== undefined || contentType !== 'application/json';
  return {
    description,
    ...(headers.length === 0 ? {} : {headers: Object.fromEntries(described)}),
    ...(hasBody ? {content: {[contentType]: {schema: body ?? {type: 'string'}}, ...stream}} : {}),
  };
}

/** Failures that may have a Retry-After header. */
const PAUSING: ReadonlySet<FailureCode> = new Set(['back-end-failed', 'back-end-busy', 'store-unavailable']);

const RETRY_AFTER = {
  description:
    'Delay before a retry, in seconds: 2 if the store is unavailable, otherwise what the back end asks for, if it does.',
  schema: {type: 'string', pattern: '^[0-9]+$'},
};

const CHALLENGE = {description: 'Asks for a token.', schema: {type: 'string', pattern: '^Bearer$'}};

function describeFailures(codes: readonly FailureCode[]): JsonObject {
  const schema = {allOf: [{$ref: '#/components/schemas/Problem'}, {properties: {code: {enum: codes}}}]};
  const headers = {
    ...(codes.some(code => PAUSING.has(code)) ? {'Retry-After': RETRY_AFTER} : {}),
    ...(codes.some(code => findStatus(code) === 401) ? {'WWW-Authenticate': CHALLENGE} : {}),
  };
  return {
    ...(Object.keys(headers).length === 0 ? {} : {headers}),
    description: codes.map(code => `\`${code}\`: ${adviseOnFailure(code)}.`).join(' '),
    content: {'application/problem+json': {schema}},
  };
}

function groupByStatus(codes: ReadonlySet<FailureCode>): ReadonlyMap<string, readonly FailureCode[]> {
  const groups = new Map<string, FailureCode[]>();
  for (const code of codes) {
    const status = String(findStatus(code));
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}

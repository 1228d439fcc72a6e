// Builds the OpenAPI document from the descriptions of operations, the schemas of documents and the table of failures.
import {convertSchema} from './json-schema.js';

/**
 * Builds the OpenAPI 3.1 document.
 *
 * @param {(path: string) => Promise<any>} load Loads a module of the built service.
 */
export async function buildOpenApi(load) {
  const parts = {
    ...(await load('http/operations/operations.js')),
    ...(await load('http/operations/operation.js')),
    ...(await load('http/operations/request-bodies.js')),
    ...(await load('failures/facts.js')),
    ...(await load('failures/failure-advice.js')),
    ...(await load('domain/fixed-limits.js')),
    ...(await load('json/json-limits.js')),
  };
  const paths = Object.entries(parts.OPERATIONS).map(([path, operations]) => {
    const described = Object.entries(operations).map(([method, operation]) => [
      method.toLowerCase(),
      describeOperation(operation, parts),
    ]);
    const parameters = pathParameters(parts).filter(({name}) => path.includes(`{${name}}`));
    return [path, {...(parameters.length > 0 && {parameters}), ...Object.fromEntries(described)}];
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crewroom',
      version: (await load('version.js')).VERSION,
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
    components: {schemas: await describeComponents(load)},
  };
}

const DESCRIPTION = `The local service that virtual-airline plugins talk to.

Local programs need no credentials. Web pages may call it only from origins that it was started with
(\`--allow-origin\`). Every failure is a problem document (RFC 9457) with a stable \`code\`.

While faults are switched on (\`/api/faults\`), operations below \`/api/\` may fail with other codes than those that are described. Answers
that a fault changed have the header \`Crewroom-Fault\`, with its kind.`;

async function describeComponents(load) {
  const {IDENTITY_DOCUMENT} = await load('documents/identity.js');
  const {ENTRY_PAGE, TRANSACTION} = await load('documents/answers/store-answers.js');
  const {PROBLEM} = await load('documents/answers/service-answers.js');
  const {SIGN_IN} = await load('documents/requests.js');
  return {
    Identity: {
      ...convertSchema(IDENTITY_DOCUMENT),
      description: 'The identity of the pilot. Unknown members are kept unchanged.',
    },
    Value: {description: 'Any JSON text, stored and returned byte for byte.'},
    MergePatch: {
      description:
        'Members of an object replace those of the same name, `null` removes them, nested objects are merged likewise; anything else replaces the whole value (RFC 7396).',
    },
    Transaction: convertSchema(TRANSACTION),
    SignIn: convertSchema(SIGN_IN.schema),
    Page: convertSchema(ENTRY_PAGE),
    Problem: convertSchema(PROBLEM),
  };
}

function pathParameters({KEY_BYTES_MAX}) {
  const key = {
    name: 'key',
    in: 'path',
    required: true,
    description: `1 to ${KEY_BYTES_MAX} bytes of UTF-8 without control characters, percent-encoded as one segment; \`%2F\` is a slash in the key. Not \`.\` or \`..\`.`,
    schema: {type: 'string', minLength: 1, maxLength: KEY_BYTES_MAX},
    example: 'com.example.hello',
  };
  return [
    key,
    pathParameter('id', 'Id of the plugin; for settings also `core`.', 'com.example.hello'),
    pathParameter('plugin', 'Id of the plugin.', 'com.example.hello'),
    pathParameter('name', 'Name of the route.', 'greeting'),
    pathParameter('token', 'Name of the token.', 'backup'),
  ];
}

function pathParameter(name, description, example) {
  return {name, in: 'path', required: true, description, schema: {type: 'string', minLength: 1}, example};
}

function describeOperation(operation, parts) {
  const {operationId, tag, summary, description, query, headers = [], body} = operation;
  const parameters = [
    ...(query === undefined ? [] : queryParameters(query)),
    ...headers.map(name => headerParameter(name, parts.REQUEST_HEADERS[name])),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && {description}),
    ...(parameters.length > 0 && {parameters}),
    ...(body !== undefined && {requestBody: describeBody(parts.REQUEST_BODIES[body])}),
    responses: describeResponses(operation, parts),
  };
}

function describeBody({description, contentType = 'application/json', schema, example}) {
  const media = {
    schema: schema === undefined ? {type: 'string'} : refer(schema),
    ...(example !== undefined && {example}),
  };
  return {required: true, description, content: {[contentType]: media}};
}

/** Describes each member of a query schema as a parameter. */
function queryParameters(query) {
  const {properties, required = []} = convertSchema(query);
  return Object.entries(properties).map(([name, {description, ...schema}]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }));
}

function headerParameter(name, description) {
  return {name, in: 'header', required: false, description, schema: {type: 'string'}};
}

function describeResponses({answers, failures = [], anyAnswer}, parts) {
  const responses = new Map();
  for (const [status, codes] of groupByStatus(new Set([...parts.COMMON_FAILURES, ...failures]), parts))
    responses.set(status, describeFailures(codes, parts));
  for (const [status, answered] of Object.entries(answers)) {
    const failed = responses.get(status);
    const described = describeAnswer(answered, parts);
    responses.set(status, failed === undefined ? described : mergeResponses(described, failed));
  }
  const sorted = [...responses].sort(([a], [b]) => Number(a) - Number(b));
  if (anyAnswer === undefined) return Object.fromEntries(sorted);
  const known = sorted.map(([status, {content, ...response}]) => [
    status,
    {...response, content: {...content, ...ANY_CONTENT}},
  ]);
  return {...Object.fromEntries(known), default: {description: anyAnswer, content: ANY_CONTENT}};
}

/** Content of any type: it applies unless a more specific type does. */
const ANY_CONTENT = {'*/*': {}};

/** Merges the answer and the failures of one status, which differ in their content type. */
function mergeResponses(answered, failed) {
  return {
    description: `${answered.description} ${failed.description}`,
    content: {...answered.content, ...failed.content},
  };
}

function describeAnswer(answered, {ANSWER_HEADERS}) {
  const {description, schema, contentType = 'application/json', streamType, headers = []} = answered;
  const described = headers.map(name => {
    const {pattern, ...header} = ANSWER_HEADERS[name];
    return [name, {...header, schema: {type: 'string', pattern}}];
  });
  const hasBody = schema !== undefined || contentType !== 'application/json';
  const content = {
    [contentType]: {schema: schema === undefined ? {type: 'string'} : refer(schema)},
    ...(streamType !== undefined && {[streamType]: {schema: {type: 'string'}}}),
  };
  return {
    description,
    ...(headers.length > 0 && {headers: Object.fromEntries(described)}),
    ...(hasBody && {content}),
  };
}

/** Refers to a component by its name; any other schema stands where it is used. */
function refer(schema) {
  return typeof schema === 'string' ? {$ref: `#/components/schemas/${schema}`} : convertSchema(schema);
}

/** Failures that may have a Retry-After header. */
const PAUSING = new Set(['back-end-failed', 'back-end-busy', 'store-unavailable']);

const RETRY_AFTER = {
  description:
    'Delay before a retry, in seconds: 2 if the store is unavailable, otherwise what the back end asks for, if it does.',
  schema: {type: 'string', pattern: '^[0-9]+$'},
};

const CHALLENGE = {description: 'Asks for a token.', schema: {type: 'string', pattern: '^Bearer$'}};

function describeFailures(codes, {findStatus, adviseOnFailure}) {
  const schema = {allOf: [{$ref: '#/components/schemas/Problem'}, {properties: {code: {enum: codes}}}]};
  const headers = {
    ...(codes.some(code => PAUSING.has(code)) && {'Retry-After': RETRY_AFTER}),
    ...(codes.some(code => findStatus(code) === 401) && {'WWW-Authenticate': CHALLENGE}),
  };
  return {
    ...(Object.keys(headers).length > 0 && {headers}),
    description: codes.map(code => `\`${code}\`: ${adviseOnFailure(code)}.`).join(' '),
    content: {'application/problem+json': {schema}},
  };
}

/** @returns {Map<string, string[]>} */
function groupByStatus(codes, {findStatus}) {
  const groups = new Map();
  for (const code of codes) {
    const status = String(findStatus(code));
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}

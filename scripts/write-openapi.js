// Builds the OpenAPI document from the descriptions of operations, the schemas of documents and the table of failures.
import {convertComponents, convertSchema} from './json-schema.js';

/**
 * Builds the OpenAPI 3.1 document.
 *
 * @param {(path: string) => Promise<any>} load Loads a module of the built service.
 */
export async function buildOpenApi(load) {
  const parts = {
    ...(await load('http/operations/operations.js')),
    ...(await load('http/operations/operation.js')),
    ...(await load('core/failures/facts.js')),
    ...(await load('core/domain/fixed-limits.js')),
    ...(await load('core/json/json-limits.js')),
  };
  const documents = await nameDocuments(load, parts);
  parts.refer = referrer(documents);
  const paths = {};
  for (const [name, operation] of Object.entries(parts.OPERATIONS)) {
    const [method, path] = name.split(' ');
    paths[path] ??= describeParameters(path, parts);
    paths[path][method.toLowerCase()] = {
      ...describeOperation(operation, parts),
      'x-stability': parts.stabilityOf(path),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crewroom',
      version: (await load('core/version.js')).VERSION,
      description: DESCRIPTION,
      license: {name: 'MIT', identifier: 'MIT'},
    },
    servers: [{url: '/'}],
    security: [{}, {bearer: []}],
    tags: [
      {name: 'Identity', description: 'The pilot.'},
      {name: 'Store', description: 'JSON values under keys, durable once acknowledged.'},
      {name: 'Events', description: 'Changes, as they happen.'},
      {name: 'Plugins', description: 'Plugins, and what they ask of the client that shows them.'},
      {name: 'Service', description: 'The service itself.'},
    ],
    paths,
    components: {schemas: describeComponents(documents), securitySchemes: {bearer: BEARER}},
  };
}

const DESCRIPTION = `The local service that virtual-airline plugins talk to.

In the mode \`open\` local programs need no credentials. Web pages may call it only from origins that it was started with
(\`--allow-origin\`). Every failure is a problem document (RFC 9457) with a stable \`code\`.

Answers grow: clients ignore members, values of enumerations and kinds of objects that they do not know. Requests with unknown members and
parameters are refused.

While faults are switched on (\`/api/faults\`), operations below \`/api/\` may fail with other codes than those that are described. Answers
that a fault changed have the header \`Crewroom-Fault\`, with its kind.`;

/** Names the schemas that a module exports: `PLUGIN_LIST` becomes `PluginList`. */
function named(exported) {
  const nameOf = constant => constant.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
  const schemas = Object.entries(exported).map(([constant, each]) => [nameOf(constant), each.schema ?? each]);
  return Object.fromEntries(schemas.filter(([, each]) => each.kind === 'schema'));
}

/** Finds all documents, by name: those that the service reads, and those that it sends. */
async function nameDocuments(load, {OPERATIONS}) {
  const bodies = new Set(Object.values(OPERATIONS).map(({body}) => body?.schema));
  const {IDENTITY_DOCUMENT} = await load('core/documents/identity.js');
  const {FAULT_LIST} = await load('core/documents/faults.js');
  const modules = ['access', 'plugin', 'service', 'store'].map(name =>
    load(`core/documents/answers/${name}-answers.js`),
  );
  const described = named(Object.assign({}, ...(await Promise.all(modules))));
  const pick = isPicked => Object.fromEntries(Object.entries(described).filter(([, each]) => isPicked(each)));
  return {
    received: {
      ...named(await load('core/documents/requests.js')),
      ...named(await load('core/documents/flight.js')),
      ...pick(each => bodies.has(each)),
    },
    sent: {...pick(each => !bodies.has(each)), IdentityDocument: IDENTITY_DOCUMENT, FaultList: FAULT_LIST},
  };
}

function describeComponents({received, sent}) {
  return {
    ...convertComponents(received),
    ...mapValues(convertComponents(sent), openAnswer),
    Value: {description: 'Any JSON text, stored and returned byte for byte.'},
    MergePatch: {
      description:
        'Members of an object replace those of the same name, `null` removes them, nested objects are merged likewise; anything else replaces the whole value (RFC 7396).',
    },
  };
}

function mapValues(members, change) {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));
}

/** Description of what the document cannot know. `exactDocument()` of the tests leaves these alternatives out. */
const LATER = 'Later versions add others.';

/** Opens the schema of an answer: later versions send more members, more values of an enumeration, and more kinds of objects. */
function openAnswer({properties, items, anyOf, additionalProperties, enum: values, ...schema}) {
  return {
    ...(values === undefined ? schema : openValues(schema, values)),
    ...(properties && {properties: mapValues(properties, openAnswer)}),
    ...(items && {items: openAnswer(items)}),
    ...(additionalProperties && {additionalProperties: openAnswer(additionalProperties)}),
    ...(anyOf && {anyOf: [...anyOf.map(openKind), ...laterKinds(anyOf)]}),
  };
}

function openValues({type, ...schema}, values) {
  return {
    ...schema,
    anyOf: [
      {type: 'string', enum: values},
      {type: 'string', description: LATER},
    ],
  };
}

/** Returns the members that tell an alternative from the others. */
function tagsOf({properties: {kind, action} = {}}) {
  return {...(kind && {kind}), ...(action && {action})};
}

function openKind(schema) {
  const opened = openAnswer(schema);
  return schema.properties === undefined ? opened : {...opened, properties: {...opened.properties, ...tagsOf(schema)}};
}

/** Describes objects of all kinds but the known ones. */
function laterKinds(known) {
  const tags = known.map(tagsOf).filter(({kind}) => kind !== undefined);
  if (tags.length === 0) return [];
  const not = {anyOf: tags.map(properties => ({properties}))};
  return [{type: 'object', description: LATER, properties: {kind: {type: 'string'}}, required: ['kind'], not}];
}

/** Describes the parameters of a path. */
function describeParameters(path, parts) {
  const names = Array.from(path.matchAll(/\{(.+?)\}/g), ([, name]) => name);
  const parameters = pathParameters(parts).filter(({name}) => names.includes(name));
  if (parameters.length < names.length) throw new Error(`A parameter of ${path} is not described`);
  return parameters.length > 0 ? {parameters} : {};
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
    pathParameter('sound', 'Name of the sound, as the event `client-request` has it in its address.', '6f1ed002ab559'),
    pathParameter('code', 'Code of the failure.', 'no-entry'),
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
    ...(body !== undefined && {requestBody: describeBody(body, parts)}),
    responses: describeResponses(operation, parts),
  };
}

function describeBody({description, contentType = 'application/json', schema, example}, {refer}) {
  const media = {
    schema: schema === undefined ? {type: 'string'} : refer(schema, 'received'),
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

function describeAnswer(answered, {ANSWER_HEADERS, refer}) {
  const {description, schema, contentType = 'application/json', streamType, headers = []} = answered;
  const described = headers.map(name => {
    const {pattern, name: sent = name, ...header} = ANSWER_HEADERS[name];
    return [sent, {...header, schema: {type: 'string', pattern}}];
  });
  const hasBody = schema !== undefined || contentType !== 'application/json';
  const content = {
    [contentType]: {schema: schema === undefined ? {type: 'string'} : refer(schema, 'sent')},
    ...(streamType !== undefined && {[streamType]: {schema: {type: 'string'}}}),
  };
  return {
    description,
    ...(headers.length > 0 && {headers: Object.fromEntries(described)}),
    ...(hasBody && {content}),
  };
}

/** Returns a function that refers to a document by the name of its component, or by its schema. */
function referrer(documents) {
  return (schema, way) => {
    const found = Object.entries(documents[way]).find(([, each]) => each === schema);
    const name = typeof schema === 'string' ? schema : found?.[0];
    if (name === undefined) throw new Error(`A document that is ${way} has no name`);
    return {$ref: `#/components/schemas/${name}`};
  };
}

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description:
    "A token of a program, or of the owner. In the mode `open` programs need one only for what is the owner's; in other modes most operations do.",
};

const RETRY_AFTER = {
  description: 'Delay before a retry, in seconds; of a back end, if it asks for one.',
  schema: {type: 'string', pattern: '^[0-9]+$'},
};

const CHALLENGE = {description: 'Asks for a token.', schema: {type: 'string', pattern: '^Bearer$'}};

function describeFailures(failures, {findStatus, adviseOnCode}) {
  const codes = [...new Set(failures.map(codeOf))];
  const schema = {allOf: [{$ref: '#/components/schemas/Problem'}, {properties: {code: openValues({}, codes)}}]};
  const headers = {
    ...(codes.some(code => findStatus(code) === 503 || code === 'back-end-failed') && {'Retry-After': RETRY_AFTER}),
    ...(codes.some(code => findStatus(code) === 401) && {'WWW-Authenticate': CHALLENGE}),
  };
  return {
    ...(Object.keys(headers).length > 0 && {headers}),
    description: failures.map(each => `\`${codeOf(each)}\`: ${adviceOf(each, adviseOnCode)}.`).join(' '),
    content: {'application/problem+json': {schema}},
  };
}

/** Returns the code of a failure, which may have cases after it. */
function codeOf(failure) {
  return failure.split(' ')[0];
}

/** Returns the advice for a failure: of its cases that are named, or of all. */
function adviceOf(failure, adviseOnCode) {
  const [code, ...names] = failure.split(' ');
  const lines = adviseOnCode(code).split('\n');
  const named = names.map(name => lines.find(each => each.startsWith(`${name}: `)));
  if (named.includes(undefined)) throw new Error(`A case is unknown: ${failure}`);
  if (named.length === 1) return named[0].slice(names[0].length + 2);
  return (named.length === 0 ? lines : named).join('; ');
}

/** @returns {Map<string, string[]>} */
function groupByStatus(codes, {findStatus}) {
  const groups = new Map();
  for (const code of codes) {
    const status = String(findStatus(codeOf(code)));
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}

import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {exactDocument} from '../test/support/exact-document.ts';

/** A JSON Schema (draft 2020-12, which OpenAPI 3.1 uses). */
export type Schema = Readonly<Record<string, unknown>>;

/** The members of an OpenAPI 3.1 document that the fuzzer uses. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, PathItem>>;
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly [method: string]: OperationObject | readonly Parameter[] | undefined;
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {readonly content: Readonly<Record<string, {readonly schema: Schema}>>};
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

/** The documented answers with one status. */
export interface DescribedAnswer {
  readonly headers?: Readonly<Record<string, {readonly required?: boolean; readonly schema: Schema}>>;
  readonly content?: Readonly<Record<string, {readonly schema?: Schema}>>;
}

/** One operation of the document. */
export interface Operation {
  /** Its `operationId`. */
  readonly name: string;
  /** In upper case. */
  readonly method: string;
  /** A template, such as `/api/store/{key}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The body it accepts; undefined if it accepts none. */
  readonly body: {readonly contentType: string; readonly schema: Schema} | undefined;
  /** By status, and as `default` for all others. */
  readonly answers: Readonly<Record<string, DescribedAnswer>>;
}

/** The operation of a request, by the document. */
export type Place =
  | {readonly kind: 'operation' | 'head'; readonly operation: Operation}
  | {readonly kind: 'options' | 'other-method'; readonly path: string}
  /** A path with a slash at its end too much: it is redirected, or answered as without it. */
  | {readonly kind: 'slash'; readonly without: Place}
  /** A file of the page of a plugin, which the document does not describe. */
  | {readonly kind: 'page'}
  | {readonly kind: 'nowhere'};

/** A parsed OpenAPI document. */
export interface ApiDocument {
  readonly operations: readonly Operation[];
  /** Finds the operation of a request by its raw target: a path that differs by a byte is another path. */
  find(method: string, target: string): Place;
  /** Resolves the references of a schema. */
  resolve(schema: Schema): Schema;
  /** Describes how a value violates a schema of the document, with the place in the value; empty if it does not. */
  check(value: unknown, place: readonly string[]): readonly string[];
  /** Problem codes of a documented answer; empty if it is not documented. */
  codes(answer: DescribedAnswer | undefined): readonly string[];
  /** Problem codes that any operation may return, by status. */
  commonCodes(status: number): readonly string[];
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/** Reads a document. */
export function readDocument(given: OpenApi): ApiDocument {
  const document = exactDocument(given);
  const operations = readOperations(document);
  const validator = createValidator(document);
  return {
    operations,
    find: (method, target) => findPlace(operations, method, target),
    resolve: schema => resolve(schema, document),
    check: (value, place) => {
      const validate = validator(place);
      if (validate(value)) return [];
      return (validate.errors ?? []).map(({instancePath, message}) => `${instancePath || 'it'} ${message}`);
    },
    codes: answer => codesOf(answer, document),
    commonCodes: status => {
      const [first, ...others] = operations.map(({answers}) => codesOf(answers[status], document));
      return (first ?? []).filter(code => others.every(codes => codes.includes(code)));
    },
  };
}

function readOperations({paths}: OpenApi): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap(method => {
      const object = item[method] as OperationObject | undefined;
      if (object === undefined) return [];
      const [body] = Object.entries(object.requestBody?.content ?? {});
      return {
        name: object.operationId,
        method: method.toUpperCase(),
        path,
        parameters: [...(item.parameters ?? []), ...(object.parameters ?? [])],
        body: body === undefined ? undefined : {contentType: body[0], schema: body[1].schema},
        answers: object.responses,
      };
    }),
  );
}

function findPlace(operations: readonly Operation[], method: string, target: string): Place {
  // An absolute target has its path after the authority (RFC 9112 section 3.2.2).
  const path = target.replace(/^http:\/\/[^/?#]*/i, '').replace(/\?.*$/s, '') || '/';
  const [any] = operations
    .filter(operation => leadsTo(operation.path, path))
    .sort((one, other) => countLiterals(other.path) - countLiterals(one.path));
  const without = path.replace(/(?<=[^/])\/$/, '');
  if (any === undefined && operations.some(operation => operation.path === without))
    return {kind: 'slash', without: findPlace(operations, method, without)};
  if (any === undefined) return {kind: path.startsWith('/plugins/') ? 'page' : 'nowhere'};
  const here = operations.filter(operation => operation.path === any.path);
  const operation = here.find(each => each.method === method);
  if (operation !== undefined) return {kind: 'operation', operation};
  const get = here.find(each => each.method === 'GET');
  if (method === 'HEAD' && get !== undefined) return {kind: 'head', operation: get};
  return {kind: method === 'OPTIONS' ? 'options' : 'other-method', path: any.path};
}

/** Returns whether a path fits a template. A key may be any segment, also an empty one; other parameters are names. */
function leadsTo(template: string, path: string): boolean {
  const parts = template.split('/');
  const segments = path.split('/');
  return (
    parts.length === segments.length &&
    parts.every((part, index) => {
      const segment = segments[index] ?? '';
      if (part === '{key}') return true;
      return part.startsWith('{') ? !['', '.', '..'].includes(segment) : part === segment;
    })
  );
}

function countLiterals(template: string): number {
  return template.split('/').filter(part => !part.startsWith('{')).length;
}

function resolve(schema: Schema, document: OpenApi): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  let found: unknown = document;
  for (const name of reference.replace(/^#\//, '').split('/')) found = (found as Schema)[name];
  return resolve(found as Schema, document);
}

/** Returns the codes that a schema of problems lists. */
function codesOf(answer: DescribedAnswer | undefined, document: OpenApi): readonly string[] {
  const schema = answer?.content?.['application/problem+json']?.schema;
  const parts = (schema?.['allOf'] ?? []) as readonly Schema[];
  return parts.flatMap(part => {
    const {code} = (resolve(part, document)['properties'] ?? {}) as Readonly<Record<string, Schema>>;
    return (code?.['enum'] ?? []) as readonly string[];
  });
}

/** Returns a function that finds the compiled schema at a place of the document. */
function createValidator(document: OpenApi): (place: readonly string[]) => ValidateFunction {
  const ajv = new Ajv2020({strict: false, allErrors: true});
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  ajv.addSchema(document, 'openapi');
  return place => {
    const pointer = place.map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = ajv.getSchema(`openapi#/${pointer}`);
    if (validate === undefined) throw new Error(`The document has no schema at ${pointer}`);
    return validate;
  };
}

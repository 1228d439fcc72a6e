import {type JsonSchema, listSchema} from './list-schema.ts';

/** The parts of an OpenAPI document that a client depends on. */
export interface OpenApiDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Operation>> & {readonly parameters?: readonly Parameter[]}>
  >;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly operationId?: string;
  readonly 'x-stability'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {readonly required?: boolean; readonly content: Content};
  readonly responses?: Readonly<Record<string, Answer>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface Answer {
  readonly headers?: Readonly<Record<string, {readonly schema: JsonSchema}>>;
  readonly content?: Content;
}

type Content = Readonly<Record<string, {readonly schema?: JsonSchema}>>;

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/** Lists each operation, its parameters, what it takes (`in`) and answers (`out`), a line each. */
export function listOperations(document: OpenApiDocument): string {
  const resolve = resolverOf(document);
  const lines = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter(method => item[method] !== undefined).flatMap(method => {
      const {operationId = '-', parameters = [], requestBody, responses = {}} = item[method] ?? {};
      const name = `${method.toUpperCase()} ${path}`;
      return [
        `${name}: ${operationId}`,
        `${name} stability: ${item[method]?.['x-stability']}`,
        ...[...(item.parameters ?? []), ...parameters]
          .map(each => resolve<Parameter>(each))
          .flatMap(each => listParameter(each, name, resolve)),
        ...Object.entries(requestBody?.content ?? {}).flatMap(([type, {schema = {}}]) =>
          listSchema(schema, `${name} in ${shorten(type)}`, resolve.schema, requestBody?.required ? ', required' : ''),
        ),
        ...Object.entries(responses).flatMap(([status, each]) =>
          listAnswer(resolve<Answer>(each), `${name} out ${status}`, resolve.schema),
        ),
      ];
    }),
  );
  const problem = listSchema({$ref: '#/components/schemas/Problem'}, 'every operation out problem', resolve.schema);
  return `${[...lines, ...problem].join('\n')}\n`;
}

function listParameter(
  {name, in: place, required, schema}: Parameter,
  operation: string,
  resolve: Resolver,
): readonly string[] {
  return listSchema(schema, `${operation} in ${place} ${name}`, resolve.schema, required ? ', required' : '');
}

function listAnswer(
  {headers = {}, content = {}}: Answer,
  subject: string,
  resolve: Resolver['schema'],
): readonly string[] {
  const listed = Object.entries(content).flatMap(([type, {schema = {}}]) =>
    type === 'application/problem+json'
      ? [`${subject} ${shorten(type)}: ${codesOf(schema).toSorted().join(' | ')}`]
      : listSchema(schema, `${subject} ${shorten(type)}`, resolve),
  );
  return [
    ...(listed.length === 0 ? [`${subject}: no body`] : listed),
    ...Object.entries(headers).flatMap(([name, each]) => listSchema(each.schema, `${subject} header ${name}`, resolve)),
  ];
}

/** Returns the codes of a schema of problems. */
function codesOf({allOf = [], properties = {}}: JsonSchema): readonly string[] {
  const codes = properties['code']?.anyOf?.flatMap(each => each.enum ?? []) ?? [];
  return [...codes.map(String), ...allOf.flatMap(codesOf)];
}

interface Resolver {
  /** Returns a part of the document, which may be a reference to another one. */
  <T>(part: T & {readonly $ref?: string}): T;
  readonly schema: (reference: string) => JsonSchema;
}

function resolverOf({components}: OpenApiDocument): Resolver {
  const find = (reference: string): unknown => {
    const [, , kind = '', name = ''] = reference.split('/');
    return components[kind]?.[name];
  };
  const resolve = <T>(part: T & {readonly $ref?: string}): T =>
    part.$ref === undefined ? part : (find(part.$ref) as T);
  return Object.assign(resolve, {schema: (reference: string) => find(reference) as JsonSchema});
}

/** Shortens a media type, which begins the lines of all members. */
function shorten(type: string): string {
  return type.replace(/^application\//, '');
}

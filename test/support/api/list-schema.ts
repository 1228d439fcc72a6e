/** The keywords of JSON Schema that our documents use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

/** Keywords that limit values, in the order in which they are listed. */
const LIMITS = [
  'format',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'default',
];

/**
 * Lists what a schema allows, a line for each member: `SUBJECT.MEMBER: DESCRIPTION`.
 *
 * @param resolve Returns the schema of a reference.
 * @param after End of the first description, such as `, required`.
 */
export function listSchema(
  schema: JsonSchema,
  subject: string,
  resolve: (reference: string) => JsonSchema,
  after = '',
): readonly string[] {
  const {$ref, anyOf, oneOf = anyOf, allOf, ...own} = schema;
  if ($ref !== undefined) return listSchema({...resolve($ref), ...own}, subject, resolve, after);
  if (allOf !== undefined) return allOf.flatMap(each => listSchema(each, subject, resolve, after));
  const variants = oneOf?.map(each => (each.$ref === undefined ? each : resolve(each.$ref)));
  const named = variants?.filter(each => each.properties !== undefined || each.items !== undefined) ?? [];
  const texts = [describe(own), ...(variants ?? []).map(each => describe(each))];
  const description = [...new Set(texts.filter(text => text !== ''))].join(' | ') || 'any JSON';
  return [
    `${subject}: ${description}${after}`,
    ...listMembers(own, subject, resolve),
    ...named.flatMap((each, index) => listMembers(each, `${subject}${labelOf(each, index, named.length)}`, resolve)),
  ];
}

function listMembers(
  schema: JsonSchema,
  subject: string,
  resolve: (reference: string) => JsonSchema,
): readonly string[] {
  const {properties = {}, patternProperties = {}, additionalProperties, items, required = []} = schema;
  const rest = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
  return [
    ...Object.entries(properties).flatMap(([name, each]) =>
      listSchema(each, `${subject}.${name}`, resolve, required.includes(name) ? ', required' : ''),
    ),
    ...Object.entries(patternProperties).flatMap(([name, each]) => listSchema(each, `${subject}./${name}/`, resolve)),
    ...(rest ? listSchema(additionalProperties, `${subject}.*`, resolve) : []),
    ...(items === undefined ? [] : listSchema(items, `${subject}[]`, resolve)),
  ];
}

/** Describes the values of a schema without its members. */
function describe(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const limits = LIMITS.filter(
    name => schema[name] !== undefined && Math.abs(Number(schema[name])) !== Number.MAX_SAFE_INTEGER,
  ).map(name => ` ${name} ${JSON.stringify(schema[name])}`);
  // A format says what its pattern does.
  const pattern = schema['pattern'] === undefined || schema['format'] !== undefined ? '' : ` /${schema['pattern']}/`;
  const closed = schema.additionalProperties === false ? ' closed' : '';
  const values = (schema.enum ?? []).map(value => JSON.stringify(value)).join(' | ');
  const type = values === '' ? [schema.type ?? []].flat().join(' | ') : values;
  return `${type}${closed}${pattern}${limits.join('')}`;
}

/** Names an alternative of several by the member that tells it from the others. */
function labelOf({properties = {}}: JsonSchema, index: number, count: number): string {
  if (count === 1) return '';
  const kind = Object.entries(properties).find(([, each]) => typeof each.const === 'string');
  return kind === undefined ? `<${index + 1}>` : `<${kind[1].const}>`;
}

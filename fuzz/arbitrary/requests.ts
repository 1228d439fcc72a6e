import fc from 'fast-check';
import type {ApiDocument, Operation, Parameter} from '../document.ts';
import {BAD_FRAMINGS, type BodyPlan, bodyOf, type Framing, GOOD_FRAMINGS, type RequestPlan} from '../request-plan.ts';
import {
  EXPORTS,
  KEYS,
  NO_KEYS,
  ODD_BODIES,
  ODD_EXPORTS,
  ODD_HEADERS,
  ODD_METHODS,
  ODD_QUERIES,
  ODD_SEGMENTS,
  ODD_STRINGS,
  ODD_TAGS,
  ODD_TARGETS,
  ODD_TEXTS,
  writeHeader,
  writeParameter,
  writeSegment,
} from './texts.ts';
import {SPOILINGS, spoil, valuesOf} from './values.ts';

/** Value constraints that the document does not contain. */
export interface RequestHints {
  /** Meaningful bodies by name of the operation, such as the credentials of a pilot. */
  readonly bodies: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Operations whose bodies are never made from their schema: they would change what the oracle expects. */
  readonly onlyHinted: readonly string[];
  /** Values of parameters in paths by name, besides keys. */
  readonly segments: Readonly<Record<string, fc.Arbitrary<string>>>;
  /** Operations without parameters that succeed only after another, by their names. */
  readonly before: Readonly<Record<string, string>>;
  /** Names of operations that take seconds, which few cases use. */
  readonly slow: readonly string[];
}

/** Creates requests of any operation of a document. */
export interface RequestArbitraries {
  /** Valid requests, which mostly succeed. */
  valid(operation: Operation): fc.Arbitrary<RequestPlan>;
  /** Valid, odd and hostile requests. */
  any(operation: Operation): fc.Arbitrary<RequestPlan>;
}

/** A change to a request. */
type Twist = (plan: RequestPlan) => RequestPlan;

/** Creates the arbitraries of a document. */
export function createRequestArbitraries(document: ApiDocument, hints: RequestHints): RequestArbitraries {
  const valid = (operation: Operation): fc.Arbitrary<RequestPlan> =>
    fc
      .record({
        path: pathsOf(operation, hints),
        query: queriesOf(operation, document),
        headers: headersOfOperation(operation),
        body: bodiesOf(operation, document, hints),
        framing: fc.oneof({weight: 4, arbitrary: fc.constant<Framing>('length')}, fc.constantFrom(...GOOD_FRAMINGS)),
      })
      .map(({path, query, headers, body, framing}) => ({
        method: operation.method,
        target: query === '' ? path : `${path}?${query}`,
        headers: [['Host', '{{host}}'] as const, ...headers],
        body,
        framing,
        ending: 'wait',
      }));
  const any = (operation: Operation): fc.Arbitrary<RequestPlan> => {
    const twists = fc.array(twistsOf(operation, document, hints), {minLength: 1, maxLength: 3});
    return fc.oneof(
      {weight: 3, arbitrary: valid(operation)},
      {
        weight: 7,
        arbitrary: fc
          .tuple(valid(operation), twists)
          .map(([plan, changes]) => changes.reduce((changed, twist) => twist(changed), plan)),
      },
    );
  };
  return {valid, any};
}

function pathsOf({path}: Operation, {segments}: RequestHints): fc.Arbitrary<string> {
  const parts = path.split('/').map(part => {
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant(part);
    return name === 'key' ? KEYS.map(writeSegment) : (segments[name] ?? fc.constant(name));
  });
  return fc.tuple(...parts).map(written => written.join('/'));
}

/** Values of parameters whose meaning their schema does not describe, as written in a query. */
const PARAMETERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  prefix: fc.oneof(fc.constantFrom('', '', 'com.', 'x'), KEYS.map(writeParameter)),
  after: fc.oneof(
    fc.constantFrom('{{cursor}}', '{{revision}}', '0', '1'),
    fc.nat({max: 999}).map(String),
    KEYS.map(writeParameter),
  ),
  // Short, since the fuzzer waits for it.
  waitSeconds: fc.constantFrom('1', '2', '50'),
};

function queriesOf({parameters}: Operation, document: ApiDocument): fc.Arbitrary<string> {
  const parts = parameters
    .filter(parameter => parameter.in === 'query')
    .map(({name, required, schema}) => {
      const values = PARAMETERS[name] ?? valuesOf(schema, document.resolve).map(value => writeParameter(String(value)));
      const part = values.map(value => `${name}=${value}`);
      return required ? part : fc.option(part, {nil: '', freq: 2});
    });
  return fc.tuple(...parts).map(written => written.filter(part => part !== '').join('&'));
}

function headersOfOperation({parameters, body}: Operation): fc.Arbitrary<RequestPlan['headers']> {
  const named = parameters.filter(parameter => parameter.in === 'header').map(validHeader);
  const types = body === undefined ? [] : [fc.constantFrom<Header[]>([['Content-Type', body.contentType]], [])];
  return fc.tuple(...types, ...named).map(lists => lists.flat());
}

type Header = readonly [name: string, value: string];

/** Values of headers that are not preconditions. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'Last-Event-ID': ['{{revision}}', '0'],
  Range: ['bytes=0-3', 'bytes=-5', 'bytes=9-', 'bytes=9999-', 'bytes=0-1,3-4', 'lines=1-2'],
  'Sec-Fetch-Dest': ['iframe', 'script'],
};

function validHeader({name}: Parameter): fc.Arbitrary<Header[]> {
  const values = HEADERS[name] ?? ['{{etag}}', '*', '"1"'];
  return fc.oneof(
    {weight: 3, arbitrary: fc.constant<Header[]>([])},
    {weight: 1, arbitrary: fc.constantFrom(...values).map((value): Header[] => [[name, value]])},
  );
}

function bodiesOf(
  {name, body}: Operation,
  document: ApiDocument,
  {bodies, onlyHinted}: RequestHints,
): fc.Arbitrary<BodyPlan | undefined> {
  if (body === undefined) return fc.constant(undefined);
  if (body.contentType.endsWith('ndjson')) return EXPORTS;
  const values = valuesOf(body.schema, document.resolve);
  const hinted = bodies[name];
  const mixed = hinted === undefined ? values : fc.oneof({weight: 5, arbitrary: hinted}, values);
  const chosen = hinted !== undefined && onlyHinted.includes(name) ? hinted : mixed;
  return chosen.map(value => bodyOf(JSON.stringify(value)));
}

/** Changes that make a request odd or hostile. */
function twistsOf(operation: Operation, document: ApiDocument, hints: RequestHints): fc.Arbitrary<Twist> {
  const twists: fc.WeightedArbitrary<Twist>[] = [
    {weight: 4, arbitrary: queryTwists(operation)},
    {weight: 4, arbitrary: headerTwists()},
    {weight: 1, arbitrary: ODD_METHODS.map(method => plan => ({...plan, method}))},
    {weight: 1, arbitrary: ODD_TARGETS.map(target => plan => ({...plan, target}))},
    {weight: 1, arbitrary: fc.constantFrom('half-close', 'leave').map(ending => plan => ({...plan, ending}))},
    {weight: 1, arbitrary: fc.constantFrom(...BAD_FRAMINGS).map(framing => plan => ({...plan, framing}))},
    {weight: operation.body === undefined ? 1 : 6, arbitrary: bodyTwists(operation, document, hints)},
  ];
  if (operation.method === 'GET')
    twists.push({weight: 1, arbitrary: fc.constant<Twist>(plan => ({...plan, method: 'HEAD'}))});
  if (operation.path.includes('{')) twists.push({weight: 4, arbitrary: segmentTwists(operation, hints)});
  return fc.oneof(...twists);
}

/** Replaces the path by one with an odd parameter. Its other segments do not come from the plan, whose target may be odd. */
function segmentTwists(operation: Operation, hints: RequestHints): fc.Arbitrary<Twist> {
  const places = operation.path.split('/').flatMap((part, index) => (part.startsWith('{') ? [index] : []));
  const odd = fc.oneof(ODD_SEGMENTS, NO_KEYS.map(writeSegment));
  return fc.tuple(pathsOf(operation, hints), fc.constantFrom(...places), odd).map(([path, place, segment]) => plan => {
    const query = /\?.*$/s.exec(plan.target)?.[0] ?? '';
    return {...plan, target: `${path.split('/').with(place, segment).join('/')}${query}`};
  });
}

function queryTwists({parameters}: Operation): fc.Arbitrary<Twist> {
  const names = parameters.filter(parameter => parameter.in === 'query').map(({name}) => name);
  const add =
    (part: string): Twist =>
    plan => ({...plan, target: `${plan.target}${plan.target.includes('?') ? '&' : '?'}${part}`});
  const replaceQuery =
    (query: string): Twist =>
    plan => ({...plan, target: `${plan.target.replace(/\?.*$/s, '')}?${query}`});
  const odd = ODD_QUERIES.map(add);
  if (names.length === 0) return odd;
  const named = fc
    .tuple(fc.constantFrom(...names), fc.oneof(ODD_TEXTS.map(writeParameter), ODD_SEGMENTS))
    .map(([name, value]) => replaceQuery(`${name}=${value.replaceAll(/[&#]/g, '')}`));
  return fc.oneof({weight: 3, arbitrary: named}, odd, ODD_QUERIES.map(replaceQuery));
}

function headerTwists(): fc.Arbitrary<Twist> {
  const add =
    (header: Header): Twist =>
    plan => ({...plan, headers: [...plan.headers, header]});
  const replaceOne =
    (header: Header): Twist =>
    plan => ({
      ...plan,
      headers: [...plan.headers.filter(([name]) => name.toLowerCase() !== header[0].toLowerCase()), header],
    });
  return fc.oneof(
    {weight: 6, arbitrary: ODD_HEADERS.map(add)},
    {weight: 3, arbitrary: ODD_HEADERS.map(replaceOne)},
    {weight: 2, arbitrary: fc.tuple(fc.constantFrom('If-Match', 'If-None-Match'), ODD_TAGS).map(add)},
    {weight: 1, arbitrary: ODD_STRINGS.map(text => add(['X-Odd', writeHeader(text)]))},
    {weight: 1, arbitrary: floods()},
    {weight: 1, arbitrary: ODD_CONTENT.map(add)},
    {weight: 1, arbitrary: FOREIGN.map(replaceOne)},
    {weight: 1, arbitrary: fc.constant<Twist>(plan => ({...plan, headers: []}))},
    // Repeats an existing header.
    {weight: 1, arbitrary: fc.constant<Twist>(plan => ({...plan, headers: [...plan.headers, ...plan.headers]}))},
  );
}

const ODD_CONTENT = fc.constantFrom<Header>(
  ['Content-Type', 'multipart/form-data; boundary=x'],
  ['Content-Type', 'application/json-patch+json'],
  ['Content-Encoding', 'gzip'],
  // Writes that are something else than their method and body.
  ['Content-Type', 'application/merge-patch+json'],
  ['Content-Range', 'bytes 6-11/12'],
  ['X-HTTP-Method-Override', 'PATCH'],
  ['X-Method-Override', 'DELETE'],
);

/** An origin whose requests are always refused. */
export const FOREIGN_REFERER = 'https://evil.example/';

/** Requests that the guard must refuse, whatever their operation. */
const FOREIGN = fc.constantFrom<Header>(
  ['Host', 'evil.example'],
  ['Origin', 'https://evil.example'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Purpose', 'prefetch'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Referer', FOREIGN_REFERER],
);

/** Enough headers that a parser may drop the later ones. */
function floods(): fc.Arbitrary<Twist> {
  return fc
    .tuple(
      fc.constantFrom(100, 1999, 2000, 2100, 3500),
      fc.constantFrom<readonly Header[]>(
        [],
        [['Origin', 'https://evil.example']],
        [['Host', 'evil.example']],
        [['Sec-Fetch-Site', 'cross-site']],
        [['If-Match', '"999999999999999"']],
      ),
    )
    .map(([count, last]) => plan => ({
      ...plan,
      headers: [...plan.headers, ...Array.from({length: count}, (): Header => ['x', '']), ...last],
    }));
}

function bodyTwists(operation: Operation, document: ApiDocument, {bodies}: RequestHints): fc.Arbitrary<Twist> {
  const put =
    (body: BodyPlan | undefined): Twist =>
    plan => ({...plan, body});
  const odd = fc.oneof({weight: 9, arbitrary: ODD_BODIES}, fc.constant(undefined)).map(put);
  if (operation.body === undefined) return odd;
  if (operation.body.contentType.endsWith('ndjson')) return fc.oneof(odd, ODD_EXPORTS.map(put));
  const values = bodies[operation.name] ?? valuesOf(operation.body.schema, document.resolve);
  const spoilt = fc
    .tuple(values, fc.array(SPOILINGS, {minLength: 1, maxLength: 2}))
    .map(([value, spoilings]) => put(bodyOf(JSON.stringify(spoilings.reduce(spoil, value)) ?? '')));
  return fc.oneof({weight: 2, arbitrary: odd}, {weight: 3, arbitrary: spoilt});
}

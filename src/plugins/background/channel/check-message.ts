import type {BackgroundMessage, ServiceMessage} from './message.ts';

/** Returns whether a JSON value is a message of the service, by its kind: the service is trusted. */
export function isServiceMessage(value: unknown): value is ServiceMessage {
  return Object.hasOwn(SERVICE_KINDS, kindOf(value));
}

/** Returns whether a JSON value is a message of a background, which may send anything. */
export function isBackgroundMessage(value: unknown): value is BackgroundMessage {
  return BACKGROUND_CHECKS.get(kindOf(value))?.(value) ?? false;
}

function kindOf(value: unknown): string {
  const {kind}: {readonly kind?: unknown} = Object(value);
  return typeof kind === 'string' ? kind : '';
}

const SERVICE_KINDS: {readonly [K in ServiceMessage['kind']]: true} = {
  start: true,
  call: true,
  settings: true,
  end: true,
};

const BACKGROUND_SHAPES: {readonly [K in BackgroundMessage['kind']]: Shape} = {
  started: {routes: [{method: 'string', name: 'string', description: 'string'}], warnings: ['string']},
  'not-loaded': {problem: 'string', 'place?': 'string'},
  'start-failed': {problem: 'string', 'place?': 'string'},
  answer: {call: 'number', status: 'number', 'contentType?': 'string'},
  file: {call: 'number', status: 'number', path: 'string'},
  'no-route': {call: 'number'},
  malformed: {call: 'number', problem: 'string'},
  failed: {call: 'number', problem: 'string', 'place?': 'string'},
  ended: {},
  memory: {sizeBytes: 'number'},
};

const BACKGROUND_CHECKS: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries(BACKGROUND_SHAPES).map(([kind, shape]) => [kind, createShapeCheck(shape)]),
);

/**
 * The expected shape of a message: the name of a type, the shape of the elements of an array, or the shapes of the members of an object. The
 * name of an optional member ends in `?`. Not a schema: those need a library, which every process of a plugin would load.
 */
export type Shape = 'string' | 'number' | readonly [Shape] | {readonly [member: string]: Shape};

/** Creates the function that returns whether a message has a shape. Additional members are accepted. */
export function createShapeCheck(shape: Shape): (message: unknown) => boolean {
  if (typeof shape === 'string') return message => typeof message === shape;
  if (Array.isArray(shape)) {
    const isElement = createShapeCheck(shape[0]);
    return message => Array.isArray(message) && message.every(isElement);
  }
  const members = Object.entries(shape).map(([name, member]) => {
    const isMember = createShapeCheck(member);
    const isOptional = name.endsWith('?');
    return [name.replace('?', ''), (value: unknown) => (isOptional && value === undefined) || isMember(value)] as const;
  });
  return message =>
    typeof message === 'object' &&
    message !== null &&
    !Array.isArray(message) &&
    members.every(([name, isMember]) => isMember((message as Readonly<Record<string, unknown>>)[name]));
}

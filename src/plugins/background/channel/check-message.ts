import {hasShape, type Shape} from '../../../domain/shape.ts';
import type {BackgroundMessage, ServiceMessage} from './message.ts';

/** Returns whether a JSON value is a message of the service. */
export function isServiceMessage(value: unknown): value is ServiceMessage {
  return hasKindOf(value, SERVICE_SHAPES);
}

/** Returns whether a JSON value is a message of a background, which may send anything. */
export function isBackgroundMessage(value: unknown): value is BackgroundMessage {
  return hasKindOf(value, BACKGROUND_SHAPES);
}

const SERVICE_SHAPES: {readonly [K in ServiceMessage['kind']]: Shape} = {
  start: {
    id: 'string',
    directory: 'string',
    file: 'string',
    storagePath: 'string',
    originalPort: 'number',
    servicePort: 'number',
  },
  call: {call: 'number', method: 'string', name: 'string', url: 'string', rawHeaders: ['string']},
  settings: {settings: {}},
  end: {},
};

const BACKGROUND_SHAPES: {readonly [K in BackgroundMessage['kind']]: Shape} = {
  started: {routes: [{method: 'string', name: 'string', description: 'string'}]},
  'not-loaded': {problem: 'string'},
  answer: {call: 'number', status: 'number', 'contentType?': 'string'},
  file: {call: 'number', status: 'number', path: 'string'},
  'no-route': {call: 'number'},
  malformed: {call: 'number', problem: 'string'},
  failed: {call: 'number', problem: 'string', 'place?': 'string'},
  ended: {},
  memory: {sizeBytes: 'number'},
};

function hasKindOf(value: unknown, shapes: Readonly<Record<string, Shape>>): boolean {
  const {kind}: {readonly kind?: unknown} = Object(value);
  if (typeof kind !== 'string' || !Object.hasOwn(shapes, kind)) return false;
  const shape = shapes[kind];
  return shape !== undefined && hasShape(value, shape);
}

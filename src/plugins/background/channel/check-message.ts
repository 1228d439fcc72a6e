import {createShapeCheck, type Shape} from '../../../domain/shape.ts';
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
  started: {routes: [{method: 'string', name: 'string', description: 'string'}]},
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

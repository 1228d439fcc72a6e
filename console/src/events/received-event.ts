import type {Event, EventKind} from 'crewroom/client';

/** An event on the screen. */
export interface ReceivedEvent {
  readonly kind: ShownKind;
  /** Time at which the page received it, in milliseconds since the Unix epoch. */
  readonly receivedMs: number | undefined;
  readonly revision?: number | undefined;
  readonly key?: string | undefined;
  readonly plugin?: string | undefined;
  /** The caller of the change, if the service knows it. */
  readonly writtenBy?: string | undefined;
  /** The value, or what the event says, in words. */
  readonly text: string;
  /** True if the value is longer than the text. */
  readonly isCut: boolean;
  readonly sizeBytes?: number | undefined;
  /** In milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number | undefined;
}

/** Names of the kinds, in the order of the filter. */
export const KIND_NAMES = {
  'entry-written': 'Written',
  'entry-deleted': 'Deleted',
  'entry-expired': 'Expired',
  'identity-changed': 'Identity',
  'plugin-state': 'Plugin state',
  'client-request': 'Plugin request',
  'plugin-log': 'Plugin log',
  reset: 'Reset',
} as const satisfies Record<Exclude<EventKind, 'initial-ended'>, string>;

/** Kinds that the console shows. It asks for no initial entries. */
export type ShownKind = keyof typeof KIND_NAMES;

/** Longest text that is kept, in UTF-16 units: a thousand of them take 16 MB. */
const TEXT_LENGTH_MAX = 8192;

/** Returns what the page keeps of an event. */
export function keepEvent(event: Event<unknown, ShownKind>, receivedMs: number | undefined): ReceivedEvent {
  const common = {kind: event.kind, receivedMs, isCut: false};
  switch (event.kind) {
    case 'entry-written': {
      const {key, revision, sizeBytes, expiresAtMs, writtenBy, text} = event;
      const isCut = text === undefined || text.length > TEXT_LENGTH_MAX;
      return {...common, key, revision, sizeBytes, expiresAtMs, writtenBy, text: cut(text ?? ''), isCut};
    }
    case 'entry-deleted':
    case 'entry-expired':
      return {...common, key: event.key, revision: event.revision, writtenBy: event.writtenBy, text: ''};
    case 'identity-changed':
      return {...common, text: 'The pilot, the airline or the session changed'};
    case 'reset':
      return {
        ...common,
        revision: event.revision,
        text: 'The log does not continue from the revision before: changes may be missing here',
      };
    case 'plugin-state':
      return {...common, plugin: event.plugin, text: event.state ?? 'removed'};
    case 'plugin-log':
      return {...common, plugin: event.plugin, text: cut(event.text)};
    case 'client-request':
      return {...common, ...describeRequest(event)};
  }
}

function describeRequest(event: Extract<Event<unknown, ShownKind>, {kind: 'client-request'}>) {
  switch (event.action) {
    case 'navigate':
      return {plugin: event.plugin, text: 'show its page'};
    case 'play-sound':
      return {text: `play ${cut(event.url)}`};
    case 'stop-sound':
      return {text: 'stop the sound'};
  }
}

/** Cuts a text. Copies what stays: a part of a text keeps all of it in memory. */
function cut(text: string): string {
  if (text.length <= TEXT_LENGTH_MAX) return text;
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, TEXT_LENGTH_MAX)));
}

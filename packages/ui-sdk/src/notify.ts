import {type NotificationType, showToast} from './toast.js';

/** A notification for the user. */
export interface Notification {
  readonly message: string;
  /** @default 'success' */
  readonly type?: NotificationType;
  /** Id or name of the plugin. */
  readonly source?: string;
  /** If true, it makes no sound. */
  readonly quiet?: boolean;
  /** If true, it is shown for some seconds, and stays in no list. */
  readonly toast?: boolean;
}

/** Message to the program that shows the page. */
interface NotificationMessage extends Notification {
  readonly kind: 'crewroom-notification';
  readonly type: NotificationType;
}

const TYPES: readonly unknown[] = ['success', 'warning', 'danger'] satisfies readonly NotificationType[];

/**
 * Shows a notification: in the program that shows the page in a frame, or in the page itself if it has a window of its own.
 *
 * @example
 * notify({message: 'Flight booked', type: 'success', source: 'com.example.hello'});
 */
export function notify(notification: Notification): void;
/** The older form: source, two arguments that are ignored, and the notification. */
export function notify(source: string, ignored: unknown, ignoredToo: unknown, notification: Notification): void;
export function notify(first: string | Notification, _?: unknown, __?: unknown, fourth?: Notification): void {
  const message = typeof first === 'string' ? toMessage({source: first, ...fourth}) : toMessage(first);
  // A page may run in a program that is not a browser, such as a test.
  if (typeof window === 'undefined') return;
  // Any program may show the page, so its origin is not known. The message has nothing that is secret.
  if (window.parent !== window) window.parent.postMessage(message, '*');
  else showToast(document, message.type, message.source, message.message);
}

/** Builds the message, whose form has to be right: pages written in JavaScript pass anything. */
function toMessage({message, type, source, quiet, toast}: Partial<Notification>): NotificationMessage {
  return {
    kind: 'crewroom-notification',
    message: String(message ?? ''),
    type: TYPES.includes(type) ? (type as NotificationType) : 'success',
    ...(typeof source === 'string' && {source}),
    ...(typeof quiet === 'boolean' && {quiet}),
    ...(typeof toast === 'boolean' && {toast}),
  };
}

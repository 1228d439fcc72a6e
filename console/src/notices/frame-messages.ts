import {SecondLimit} from '../state/second-limit.ts';
import {NOTICE_TYPES, type ReceivedNotice} from './notices.ts';

/** Maximum number of notices of all frames that are drawn within a second: more than anyone reads. */
const NOTICES_MAX = 20;

/** Longest message of a notice that is shown, in characters; the rest is cut. */
const MESSAGE_LENGTH_MAX = 500;

/** Longest source of a notice that is shown, in characters. */
const SOURCE_LENGTH_MAX = 80;

/** Attributes of a frame with the name and the id of its plugin. */
export const [FRAME_NAME, FRAME_ID] = ['data-plugin-name', 'data-plugin-id'] as const;

/**
 * Receives notifications from the pages of plugins until the signal is aborted: messages of frames of this page. Those of other windows,
 * and of frames that have left the origin of their plugin, are ignored. Of too many within a second, the rest are one notice with their number.
 */
export function followFrameMessages(onNotice: (notice: ReceivedNotice) => void, signal: AbortSignal): void {
  let lastPlugin = '';
  const limit = new SecondLimit(NOTICES_MAX, count =>
    onNotice({
      type: 'warning',
      source: lastPlugin,
      message: `${count} more within a second`,
      quiet: true,
      toast: false,
    }),
  );
  addEventListener(
    'message',
    ({source, origin, data}) => {
      const frame = [...document.querySelectorAll('iframe')].find(({contentWindow}) => contentWindow === source);
      if (source === null || frame === undefined || origin !== new URL(frame.src).origin) return;
      const plugin = frame.getAttribute(FRAME_NAME) ?? '';
      const notice = readNotice(data, {name: plugin, id: frame.getAttribute(FRAME_ID) ?? ''});
      if (notice === undefined) return;
      lastPlugin = plugin;
      if (limit.admit()) onNotice(notice);
    },
    {signal},
  );
}

/** Reads a message. @returns Undefined if it is not a notification. */
function readNotice(data: unknown, plugin: {readonly name: string; readonly id: string}): ReceivedNotice | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const {kind, message, type, source, quiet, toast}: Readonly<Record<string, unknown>> = {...data};
  if (kind !== 'crewroom-notification' || typeof message !== 'string' || message === '') return undefined;
  return {
    message: cut(message, MESSAGE_LENGTH_MAX),
    type: NOTICE_TYPES.find(each => each === type) ?? 'success',
    source: titleOf(plugin, typeof source === 'string' ? source.trim() : ''),
    quiet: quiet === true,
    toast: toast === true,
  };
}

/** Returns the title of a notice. A page may name a part of itself, but not another plugin; most name the whole. */
function titleOf({name, id}: {readonly name: string; readonly id: string}, source: string): string {
  const named = source.toLowerCase();
  if (['', id.toLowerCase(), name.toLowerCase()].includes(named)) return name;
  return `${name}: ${cut(source, SOURCE_LENGTH_MAX)}`;
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`;
}

import {type Signal, signal} from '@preact/signals';
import type {Client, PluginLogged} from 'crewroom/client';
import {type CallFailure, callService} from '../service/call-service.ts';
import type {LogLine} from '../service/documents.ts';
import {toCallFailure} from '../state/loaded.ts';

/** A line on the screen. */
export interface ShownLine extends LogLine {
  /** Unique within the log. */
  readonly id: number;
  /** Number of lines before this one that are missing, because the page was too slow for them. */
  readonly dropped: number;
}

/** Maximum number of lines on the screen; older ones go. More would make the page slow. */
const LINES_MAX = 1000;

/** The log of a plugin: its last lines, and those that follow. */
export class LogState {
  readonly lines: Signal<readonly ShownLine[]> = signal([]);
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  readonly #client: Client;
  readonly #plugin: string;
  /** Lines that arrived while the last ones were loading; undefined otherwise. */
  #early: PluginLogged[] | undefined;
  /** Lines that wait for the next frame of the screen. */
  #waiting: ShownLine[] = [];
  #lastId = 0;

  constructor(client: Client, plugin: string) {
    this.#client = client;
    this.#plugin = plugin;
  }

  /** Follows the log until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const events = this.#client.events<unknown, 'plugin-log'>({
      kinds: ['plugin-log'],
      signal,
      // The stream first, so that no line between the two is lost. After a lost connection the same again.
      onConnection: ({kind}) => kind === 'connected' && void this.#load(signal),
    });
    try {
      for await (const event of events) {
        if (event.plugin !== this.#plugin) continue;
        if (this.#early === undefined) this.#append([this.#toLine(event)]);
        else this.#early.push(event);
      }
    } catch (error) {
      this.failure.value = toCallFailure(error);
    }
  }

  /** Loads the last lines. Lines that arrive meanwhile follow, unless they are among those. A later load supersedes this one. */
  async #load(signal: AbortSignal): Promise<void> {
    const early: PluginLogged[] = [];
    this.#early = early;
    try {
      const path = `/api/plugins/${encodeURIComponent(this.#plugin)}/logs`;
      const {lines} = await callService<{readonly lines: readonly LogLine[]}>(path, {signal});
      if (this.#early !== early) return;
      const known = new Set(lines.map(keyOf));
      const later = early.map(event => this.#toLine(event)).filter(line => !known.has(keyOf(line)));
      this.#waiting = [];
      this.lines.value = [...lines.map(line => ({...line, id: ++this.#lastId, dropped: 0})), ...later];
      this.failure.value = undefined;
    } catch (error) {
      if (!signal.aborted && this.#early === early) this.failure.value = toCallFailure(error);
    } finally {
      if (this.#early === early) this.#early = undefined;
    }
  }

  /** Shows lines with the next frame of the screen: a plugin may log a thousand in a second. */
  #append(lines: readonly ShownLine[]): void {
    const isScheduled = this.#waiting.length > 0;
    this.#waiting.push(...lines);
    if (this.#waiting.length > LINES_MAX) this.#waiting = this.#waiting.slice(-LINES_MAX);
    if (isScheduled) return;
    requestAnimationFrame(() => {
      this.lines.value = [...this.lines.value, ...this.#waiting].slice(-LINES_MAX);
      this.#waiting = [];
    });
  }

  #toLine({atMs, level, text, dropped = 0}: PluginLogged): ShownLine {
    return {at: new Date(atMs).toISOString(), level, text, dropped, id: ++this.#lastId};
  }
}

function keyOf({at, level, text}: LogLine): string {
  return `${at} ${level} ${text}`;
}

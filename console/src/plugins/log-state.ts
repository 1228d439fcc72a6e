import {type Signal, signal} from '@preact/signals';
import type {Client, PluginLogged} from 'crewroom/client';
import {type CallFailure, callService} from '../service/call-service.ts';
import type {LogLine} from '../service/documents.ts';
import {createSchedule} from '../shell/live/change-interval.ts';
import {LiveLines} from '../shell/live/live-lines.ts';
import {toCallFailure} from '../state/loaded.ts';

/** The log of a plugin: its last lines, and those that follow. */
export class LogState {
  readonly lines: LiveLines<LogLine> = new LiveLines(createSchedule());
  /** True once the service has said which lines there were. */
  readonly isKnown: Signal<boolean> = signal(false);
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  readonly #client: Client;
  readonly #plugin: string;
  /** Lines that arrived while the last ones were loading; undefined otherwise. */
  #early: PluginLogged[] | undefined;

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
        if (this.#early === undefined) this.lines.add([toLine(event)], event.dropped);
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
      this.lines.replace(lines);
      this.isKnown.value = true;
      for (const event of early) if (!known.has(keyOf(toLine(event)))) this.lines.add([toLine(event)], event.dropped);
      this.failure.value = undefined;
    } catch (error) {
      if (!signal.aborted && this.#early === early) this.failure.value = toCallFailure(error);
    } finally {
      if (this.#early === early) this.#early = undefined;
    }
  }
}

function toLine({loggedAtMs, level, text}: PluginLogged): LogLine {
  return {loggedAt: new Date(loggedAtMs).toISOString(), level, text};
}

function keyOf({loggedAt, level, text}: LogLine): string {
  return `${loggedAt} ${level} ${text}`;
}

import type {PluginLogLine, PluginStatus} from '../../domain/plugins/plugin.ts';
import {parseDocument} from '../text/read-document.ts';
import {readTimes, type WithTimes, writeTimes} from '../text/times.ts';

/** A plugin, as `GET /api/plugins` answers it. */
export type PluginDocument = WithTimes<PluginStatus>;

/** All plugins, their directory, and the reason why it is not used. */
export interface PluginList {
  readonly plugins: readonly PluginStatus[];
  /** Directory of installed plugins; absent if there is none. */
  readonly directory?: string | undefined;
  readonly directoryProblem?: string | undefined;
}

/** All plugins, as `GET /api/plugins` answers them. */
export interface PluginListDocument extends Omit<PluginList, 'plugins'> {
  readonly plugins: readonly PluginDocument[];
}

/** Formats all plugins. */
export function formatPlugins({plugins, ...directory}: PluginList): string {
  return JSON.stringify({plugins: plugins.map(writeTimes), ...directory});
}

/** Formats one plugin. */
export function formatPlugin(status: PluginStatus): string {
  return JSON.stringify(writeTimes(status));
}

/** Reads what {@link formatPlugins} writes. */
export function readPlugins(json: string): PluginList {
  const {plugins, ...directory} = parseDocument<PluginListDocument>(json);
  return {plugins: plugins.map(plugin => readTimes<PluginStatus>(plugin)), ...directory};
}

/** Reads what {@link formatPlugin} writes. */
export function readPlugin(json: string): PluginStatus {
  return readTimes<PluginStatus>(parseDocument(json));
}

/** Formats the last lines that a plugin logged. */
export function formatPluginLogs(lines: readonly PluginLogLine[]): string {
  return JSON.stringify({lines: lines.map(writeTimes)});
}

/** Reads what {@link formatPluginLogs} writes. */
export function readPluginLogs(json: string): readonly PluginLogLine[] {
  const {lines} = parseDocument<{readonly lines: readonly WithTimes<PluginLogLine>[]}>(json);
  return lines.map(line => readTimes<PluginLogLine>(line));
}

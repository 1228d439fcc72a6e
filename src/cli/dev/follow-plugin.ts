import type {PluginStatus, Plugins} from '../../domain/plugins/plugin.ts';
import {wait} from '../../time/wait.ts';
import type {CliContext} from '../terminal/context.ts';
import type {DevReporter} from './dev-reporter.ts';

/** Returns the plugin in a folder; undefined if the folder is not known. */
export function pluginIn(plugins: Plugins, directory: string): PluginStatus | undefined {
  return plugins.list().find(plugin => plugin.directory === directory);
}

/** Longest wait for the first build of a background once the page is there, in milliseconds: those of published plugins take one or two. */
const BUILD_WAIT_MS = 5000;

/** Waits until the background of a plugin is built, or its build has failed, or {@link BUILD_WAIT_MS} are over. */
export async function untilBuilt(
  plugins: Plugins,
  {directory, signal}: Pick<FollowPluginDeps, 'directory' | 'signal'>,
): Promise<void> {
  const built = new AbortController();
  const check = (): void => {
    const {state, error} = pluginIn(plugins, directory) ?? {};
    if (state !== 'not-built' || error !== undefined) built.abort();
  };
  const stop = plugins.onState(check);
  check();
  await wait(BUILD_WAIT_MS, {signals: [signal, built.signal]});
  stop();
}

export interface FollowPluginDeps extends Pick<CliContext, 'nowMs'> {
  readonly directory: string;
  readonly reporter: DevReporter;
  /** Ends the reports. */
  readonly signal: AbortSignal;
}

/** Reports when the plugin in a folder stops running because of its files, and that the next change starts it again. */
export function followPlugin(plugins: Plugins, {directory, reporter, nowMs, signal}: FollowPluginDeps): void {
  let startedAtMs: number | undefined;
  let isReported = false;
  const check = (): void => {
    const {state} = pluginIn(plugins, directory) ?? {state: 'broken'};
    if (state === 'running' || state === 'page-only') startedAtMs = nowMs();
    const isWrong = state === 'stopped' || state === 'broken';
    if (isWrong && !isReported) reporter.note(describeStop(startedAtMs));
    if (state !== 'starting') isReported = isWrong;
  };
  signal.addEventListener('abort', plugins.onState(check), {once: true});
  check();
}

function describeStop(startedAtMs: number | undefined): string {
  // In UTC, as the lines of the log and of requests.
  const last =
    startedAtMs === undefined
      ? 'It has not started yet'
      : `It last started at ${new Date(startedAtMs).toISOString().slice(11, 19)}`;
  return `The plugin does not run. ${last}; it is started again when you save a change`;
}

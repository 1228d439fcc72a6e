import type {ChildProcess} from 'node:child_process';
import {constants} from 'node:os';
import spawn from 'cross-spawn';
import {openService} from '../../app/app.ts';
import type {Plugins} from '../../core/domain/plugins/plugin.ts';
import {type ConfigSources, resolveConfig} from '../../platform/config/resolve-config.ts';
import {describeHalves, findHalves} from '../../plugins/directory/plugin-halves.ts';
import {assertRunnable} from '../../plugins/sources/find-sources.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {childEnvironment, untilExit} from '../dev/side-command.ts';
import {invalidUsage} from '../failures/report.ts';
import {readSources} from '../input/settings.ts';
import {untilStarted} from '../service/until-started.ts';
import {type CliContext, escapeControls, type StopSignal, styleOf} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {createLog} from '../terminal/log.ts';
import {limitStop, listenForStop, type StopRequest} from '../terminal/stop-request.ts';

/** `crewroom run`: runs a command with a separate service, and returns the exit code of the command. */
export async function run(call: CallOf<'run'>): Promise<number> {
  if (call.arguments[0] === '') throw invalidUsage('run', 'COMMAND is empty');
  const stop = listenForStop(call.context);
  try {
    const {config} = resolveConfig(await readRunSources(call));
    const {stderr, nowMs} = call.context;
    const style = styleOf(stderr, call.context);
    const log = createLog({level: config.logLevel, write: text => void stderr.write(text), nowMs, style});
    const crewroom = await openService(config, {log, takesForeignPlugins: true});
    try {
      const {port} = await crewroom.listen();
      await Promise.race([untilStarted(crewroom.plugins), stop.asked]);
      if (!stop.isAsked()) {
        for (const plugin of crewroom.plugins.list())
          if (plugin.inDevelopment) await assertRunnable(crewroom.plugins, plugin);
        await warn(crewroom.plugins, call.context);
      }
      if (stop.isAsked()) return exitCodeOf(await stop.asked);
      return await runCommand(call.arguments, {context: call.context, address: {host: config.host, port}, stop});
    } finally {
      const liftLimit = limitStop(call.context);
      await untilInterrupted(call.context, () => crewroom[Symbol.asyncDispose]()).finally(liftLimit);
    }
  } finally {
    stop.release();
  }
}

/** Reads the settings. Uses a free port and no data directory, unless a flag names one: other sources are for `crewroom start`. */
async function readRunSources(call: CallOf<'run'>): Promise<ConfigSources> {
  const {flags, defaults, ...sources} = await readSources(call);
  const ephemeral = flags.dataDir === undefined ? {ephemeral: true} : {};
  return {...sources, flags: {port: '0', ...ephemeral, ...flags}, defaults: {...defaults, logLevel: 'error'}};
}

async function warn(plugins: Plugins, {stderr}: CliContext): Promise<void> {
  for (const {id, directory, inDevelopment, warnings} of plugins.list()) {
    const places = inDevelopment ? describeHalves(await findHalves(directory)) : [];
    if (places.length > 0) await stderr.write(`${escapeControls(`Plugin ${id}: found its ${places.join(', ')}`)}\n`);
    for (const warning of warnings) await stderr.write(`${escapeControls(`Warning: plugin ${id}: ${warning}`)}\n`);
  }
}

interface CommandDeps {
  readonly context: CliContext;
  readonly address: {readonly host: string; readonly port: number};
  /** Released once the command runs, which then decides what a signal does. */
  readonly stop: StopRequest;
}

async function runCommand(
  [program = '', ...args]: readonly string[],
  {context, address, stop}: CommandDeps,
): Promise<number> {
  const {environment, workingDirectory: cwd} = context;
  const child = spawn(program, args, {stdio: 'inherit', cwd, env: childEnvironment(environment, address)});
  const stopPassing = passSignals(child, context, stop);
  stop.release();
  try {
    const {exitCode, signal} = await untilExit(child, {command: 'run', program});
    return exitCode ?? exitCodeOf(signal);
  } finally {
    stopPassing();
  }
}

/** Passes every signal on to a command. Those of a terminal reach the command anyway, also if one stream is a file. */
function passSignals(
  child: ChildProcess,
  {onSignal, stdin, stdout, stderr}: CliContext,
  stop: StopRequest,
): () => void {
  const onTerminal = stdin.isTerminal || stdout.isTerminal || stderr.isTerminal;
  const releases = [
    onSignal('SIGTERM', () => child.kill('SIGTERM')),
    onSignal('SIGINT', () => onTerminal || child.kill('SIGINT')),
    onSignal('SIGBREAK', () => {}),
    onSignal('SIGHUP', () => {
      stop.ask('SIGHUP');
      if (!onTerminal) child.kill('SIGHUP');
    }),
  ];
  return () => {
    for (const release of releases) release();
  };
}

/** Returns the exit code with which shells report that a signal ended a command. */
function exitCodeOf(signal: NodeJS.Signals | StopSignal | null): number {
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

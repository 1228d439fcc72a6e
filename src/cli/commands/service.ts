import {release} from 'node:os';
import {EXIT} from '../../core/failures/exit-codes.ts';
import {agentFileOf, unitFileOf} from '../../platform/paths.ts';
import {type Autostart, findProgram, withoutManager} from '../autostart/autostart.ts';
import {createLaunchAgent} from '../autostart/launch-agent.ts';
import {createRunKey} from '../autostart/run-key.ts';
import {createUserUnit} from '../autostart/systemd.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {readCount} from '../input/flag-values.ts';
import {connect} from '../service/connection.ts';
import {stopService} from '../service/stop-service.ts';
import {escapeControls, escapeText} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

type ServiceCall = CallOf<'service'>;

/** Log lines that are shown without a flag. */
const DEFAULT_LINES = 100;

/** Maximum number of log lines that are shown: they are read into memory. */
const LINES_MAX = 10_000;

/** `crewroom service`: lets the system start the service when its user logs in. */
export async function run(call: ServiceCall): Promise<CommandOutcome> {
  const [action = ''] = call.arguments;
  const autostart = chooseAutostart(call);
  if (action === 'install') return install(call, autostart);
  if (action === 'status') return showStatus(autostart);
  return action === 'logs' ? showLogs(call, autostart) : uninstall(call, autostart);
}

/**
 * Returns the start at log-on of this platform.
 *
 * @throws {AppError} `invalid-usage` if there is none.
 */
function chooseAutostart(call: ServiceCall): Autostart {
  const {context} = call;
  const {platform, homeDir, paths, environment} = context;
  const {logFile} = paths;
  if (platform === 'win32') {
    const isServing = (): Promise<boolean> => isAnswering(call);
    const stop = async (): Promise<void> => {
      if (await isAnswering(call)) await stopService(call);
    };
    return createRunKey({context, logFile, release: release(), isServing, stop});
  }
  if (platform === 'darwin' && homeDir !== '') return createLaunchAgent({file: agentFileOf(homeDir), logFile}, context);
  const file = platform === 'linux' ? unitFileOf(environment) : undefined;
  if (file === undefined) throw withoutManager('systemctl');
  return createUserUnit(file, context);
}

async function isAnswering(call: ServiceCall): Promise<boolean> {
  const {service} = await connect(call);
  return service.about().then(
    () => true,
    () => false,
  );
}

async function install(call: ServiceCall, autostart: Autostart): Promise<CommandOutcome> {
  const {context} = call;
  // First: what another program wrote is left alone.
  await autostart.isInstalled();
  const program = await findProgram(context);
  await autostart.install(program);
  const ignored = ignoredVariables(context.environment);
  const {place: file, note} = autostart;
  return {
    json: {installed: true, file, ...program, ignoredVariables: ignored},
    note: `Installed ${escapeControls(file)}\n${describeIgnored(ignored)}${note}\n`,
  };
}

function describeIgnored(ignored: readonly string[]): string {
  if (ignored.length === 0) return '';
  return `Not copied from this environment: ${ignored.map(escapeControls).join(', ')}; settings belong into the config file\n`;
}

/** Returns the names of variables that change what `crewroom start` does here, and will not do so in the service. */
function ignoredVariables(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const names = Object.keys(environment).filter(name => environment[name] !== undefined);
  return names.filter(name => /^CREWROOM_|^XDG_(?:DATA|CONFIG|CACHE)_HOME$/.test(name)).sort();
}

async function showStatus(autostart: Autostart): Promise<CommandOutcome> {
  const installed = await autostart.isInstalled();
  const {active, enabled} = installed ? await autostart.status() : {active: 'inactive', enabled: 'disabled'};
  const {place: file} = autostart;
  const text = installed
    ? `${escapeControls(file)}\n${escapeControls(active)}, ${escapeControls(enabled)}\n`
    : 'not installed\n';
  const exitCode = !installed ? EXIT.notFound : active === 'active' ? EXIT.ok : EXIT.unreachable;
  return {json: {installed, file, active, enabled}, text, exitCode};
}

async function showLogs({flags}: ServiceCall, autostart: Autostart): Promise<CommandOutcome> {
  const lines =
    flags.lines === undefined
      ? DEFAULT_LINES
      : Math.min(LINES_MAX, readCount(flags.lines, {command: 'service', flag: '--lines'}));
  const text = await autostart.logs(lines);
  const shown = text.split('\n').filter(line => line !== '');
  return {json: shown.map(line => ({text: line})), text: escapeText(text)};
}

/** Stops the service and removes what starts it. Data stays where `crewroom paths` shows it. */
async function uninstall({flags}: ServiceCall, autostart: Autostart): Promise<CommandOutcome> {
  const {place: file} = autostart;
  const {dryRun = false} = flags;
  const installed = await autostart.isInstalled();
  if (installed && !dryRun) await autostart.uninstall();
  const json = {dryRun, uninstalled: installed, file};
  if (!installed) return {json, note: 'It was not installed\n'};
  return dryRun
    ? {json, text: `Would remove ${escapeControls(file)}\n`}
    : {json, note: `Removed ${escapeControls(file)}\n`};
}

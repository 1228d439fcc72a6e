import {EXIT} from '../../core/failures/exit-codes.ts';
import {type Autostart, findGone, findProgram, findVersioned} from '../autostart/autostart.ts';
import {createAutostart} from '../autostart/create.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {refusedUsage} from '../failures/report.ts';
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
  const autostart = createAutostart(call);
  if (action === 'install') return install(call, autostart);
  if (action === 'status') return showStatus(autostart);
  return action === 'logs' ? showLogs(call, autostart) : uninstall(call, autostart);
}

async function install(call: ServiceCall, autostart: Autostart): Promise<CommandOutcome> {
  const {context} = call;
  const program = await findProgram(context);
  await autostart.install(program);
  const ignored = ignoredVariables(context.environment);
  const versioned = findVersioned(program);
  const {place: file, note} = autostart;
  const from = `Not copied from this environment: ${ignored.join(', ')}; settings belong into the config file`;
  const lines = [
    `Installed ${file}`,
    ...(ignored.length === 0 ? [] : [from]),
    ...(versioned === undefined ? [] : [`An update of Node removes ${versioned}: install again after it`]),
    note,
  ];
  return {
    json: {installed: true, file, ...program, ignoredVariables: ignored},
    note: lines.map(line => `${escapeControls(line)}\n`).join(''),
  };
}

/** Returns the names of variables that change what `crewroom start` does here, and will not do so in the service. */
function ignoredVariables(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const names = Object.keys(environment).filter(name => environment[name] !== undefined);
  return names.filter(name => /^CREWROOM_|^XDG_(?:DATA|CONFIG|CACHE)_HOME$/.test(name)).sort();
}

async function showStatus(autostart: Autostart): Promise<CommandOutcome> {
  const installed = await autostart.installed();
  const {place: file} = installed ?? autostart;
  if (installed === undefined) {
    const json = {installed: false, file, active: 'inactive', enabled: 'disabled'};
    return {json, text: 'not installed\n', exitCode: EXIT.notFound};
  }
  const {active, enabled} = await autostart.status();
  const missing = findGone(installed);
  const text = `${escapeControls(file)}\n${escapeControls(active)}, ${escapeControls(enabled)}\n`;
  return {
    json: {installed: true, file, active, enabled, ...(missing === undefined ? {} : {missing})},
    text: missing === undefined ? text : `${text}${escapeControls(missing)} is gone: install it again\n`,
    exitCode: active === 'active' ? EXIT.ok : EXIT.unreachable,
  };
}

async function showLogs({flags}: ServiceCall, autostart: Autostart): Promise<CommandOutcome> {
  const text = await autostart.logs(Math.min(LINES_MAX, flags.lines ?? DEFAULT_LINES));
  const shown = text.split('\n').filter(line => line !== '');
  return {json: shown.map(line => ({text: line})), text: escapeText(text)};
}

/** Stops the service and removes what starts it. Data stays where `crewroom paths` shows it. */
async function uninstall({flags}: ServiceCall, autostart: Autostart): Promise<CommandOutcome> {
  const {dryRun = false} = flags;
  const installed = await autostart.installed();
  const {place: file} = installed ?? autostart;
  if (installed?.isPackaged)
    throw refusedUsage(
      'service',
      `a package of the system brought ${JSON.stringify(file)}`,
      'Run "systemctl --user disable --now crewroom" to switch it off',
    );
  if (installed !== undefined && !dryRun) await autostart.uninstall();
  const json = {dryRun, uninstalled: installed !== undefined, file};
  if (installed === undefined) return {json, note: 'It was not installed\n'};
  return dryRun
    ? {json, text: `Would remove ${escapeControls(file)}\n`}
    : {json, note: `Removed ${escapeControls(file)}\n`};
}

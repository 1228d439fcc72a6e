import {existsSync} from 'node:fs';
import {AppError} from '../../core/failures/app-error.ts';
import {SETTING_NAMES} from '../../platform/config/config.ts';
import {DEFAULT_ORIGIN, type InspectedConfig, inspectConfig} from '../../platform/config/resolve-config.ts';
import type {CallOf, CommandCall} from '../catalogue/commands.ts';
import {AdvisedError} from '../failures/report.ts';
import {locateConfigFile, readSources} from '../input/settings.ts';
import {styleOf} from '../terminal/context.ts';
import {type CommandOutcome, printOutcome} from '../terminal/outcome.ts';
import {formatTable} from '../terminal/table.ts';

/** `crewroom config`: prints every setting with its value and origin, even if some are invalid. */
export async function run(call: CallOf<'config'>): Promise<CommandOutcome> {
  const inspected = inspectConfig(await readSources(call));
  const outcome = {json: describe(inspected, call), text: formatSettings(inspected, call)};
  const {problems} = inspected;
  if (problems.length === 0) return outcome;
  await printOutcome(outcome, call);
  throw new AdvisedError(
    new AppError({code: 'invalid-configuration', problems}),
    'Correct them; the other settings are valid',
  );
}

function describe({config, origins, problems}: InspectedConfig, call: CommandCall): object {
  const settings = Object.fromEntries(
    SETTING_NAMES.map(name => [name, {value: config[name] ?? null, origin: origins[name]}]),
  );
  const {path} = locateConfigFile(call);
  return {settings, configFile: {path, exists: existsSync(path)}, problems};
}

function formatSettings({config, origins}: InspectedConfig, {context}: CommandCall): string {
  const style = styleOf(context.stdout, context);
  const rows = SETTING_NAMES.map(name => [name, formatValue(name, config[name]), origins[name]]);
  const table = formatTable(['SETTING', 'VALUE', 'FROM'], rows, context);
  // Defaults are dimmed, so that changed settings stand out.
  return table.replace(new RegExp(`  ${DEFAULT_ORIGIN}$`, 'gm'), style.dim(`  ${DEFAULT_ORIGIN}`));
}

function formatValue(name: string, value: unknown): string {
  if (value === undefined) return 'invalid';
  if (name === 'profile' && value === '') return 'the sample';
  if (name === 'airline' && value === '') return 'from the profile';
  if (name === 'pluginsDir' && value === '') return 'beside the data directory';
  if (name === 'pluginConfig' && value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return String(value);
}

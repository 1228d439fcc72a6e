import {existsSync} from 'node:fs';
import {SETTING_NAMES} from '../../config/config.ts';
import {DEFAULT_ORIGIN, type InspectedConfig, inspectConfig} from '../../config/resolve-config.ts';
import {AppError} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf, CommandCall} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {locateConfigFile, readSources} from '../input/settings.ts';
import {jsonLine} from '../terminal/escape.ts';
import {styleOf} from '../terminal/style.ts';
import {formatTable} from '../terminal/table.ts';

/** `crewroom config`: prints every setting with its value and origin, even if some are invalid. */
export async function run(call: CallOf<'config'>): Promise<ExitCode> {
  const {stdout} = call.context;
  const inspected = inspectConfig(await readSources(call));
  await stdout.write(call.flags.json ? formatJson(inspected, call) : formatSettings(inspected, call));
  const {problems} = inspected;
  if (problems.length > 0)
    throw new AdvisedError(
      new AppError({code: 'invalid-configuration', problems}),
      'Correct them; the other settings are valid',
    );
  return EXIT.ok;
}

function formatJson({config, origins, problems}: InspectedConfig, call: CommandCall): string {
  const settings = Object.fromEntries(
    SETTING_NAMES.map(name => [name, {value: config[name] ?? null, origin: origins[name]}]),
  );
  const {path} = locateConfigFile(call);
  return jsonLine({settings, configFile: {path, exists: existsSync(path)}, problems});
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
  if (name === 'plugins' && value === '') return 'beside the data directory';
  if (name === 'pluginConfig' && value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return String(value);
}

import type {ImportMode} from '../../core/domain/commits/transfer.ts';
import {resolvePath} from '../../platform/paths.ts';
import type {CallOf} from '../catalogue/commands.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {fileSource, standardInput} from '../transfer/import-source.ts';
import {runImport} from '../transfer/run-import.ts';

/** `crewroom import`: stores the entries of an export. */
export async function run(call: CallOf<'import'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const [name = ''] = call.arguments;
  // The parser has checked it.
  const mode = (flags.mode ?? 'merge') as ImportMode;
  const open = async () =>
    name === '-' ? standardInput(context) : fileSource(resolvePath(name, context), JSON.stringify(name));
  return runImport(call, {change: 'import', mode, open});
}

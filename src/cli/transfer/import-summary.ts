import type {Imported} from '../../domain/commits/transfer.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CommandCall} from '../catalogue/call.ts';
import type {Switch} from '../catalogue/spec.ts';
import {formatCount, formatEntries} from '../output/counts.ts';
import {jsonLine} from '../terminal/escape.ts';

/** A verb for the result of an import, of the command that ran it. */
export interface ImportVerb {
  /** Such as `import`. */
  readonly infinitive: string;
  /** Such as `Imported`. */
  readonly past: string;
  /** The snapshot before it; undefined if there is none. */
  readonly snapshot?: object | undefined;
}

/**
 * Reports the result of an import: to programs in the form of the service, to people on one line.
 *
 * @param imported Undefined if the user did not confirm it.
 */
export async function reportImport(
  imported: Imported | undefined,
  {context: {stdout, stderr}, flags}: CommandCall & {readonly flags: {readonly json: Switch}},
  {infinitive, past, snapshot}: ImportVerb,
): Promise<ExitCode> {
  if (imported === undefined) {
    await stderr.write('Nothing was changed\n');
    return EXIT.failure;
  }
  const summary = summarizeImport(imported);
  if (flags.json) await stdout.write(jsonLine({...imported, revision: String(imported.revision), snapshot}));
  else if (imported.dryRun) await stdout.write(`Would ${infinitive} ${summary}\n`);
  else if (stderr.isTerminal) await stderr.write(`${past} ${summary}\n`);
  return EXIT.ok;
}

/** Formats the result of an import: `1,000 entries: 900 created, 100 replaced, 3 others deleted`. */
export function summarizeImport({entries, created, replaced, expired, deleted}: Imported): string {
  const parts = [
    [created, 'created'],
    [replaced, 'replaced'],
    [expired, 'skipped because they expired'],
    [deleted, deleted === 1 ? 'other deleted' : 'others deleted'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`);
  return shown.length === 0 ? formatEntries(entries) : `${formatEntries(entries)}: ${shown.join(', ')}`;
}

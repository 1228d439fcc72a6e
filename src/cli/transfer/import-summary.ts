import type {Imported} from '../../domain/transfer.ts';
import type {Call} from '../catalogue/call.ts';
import type {Switch} from '../catalogue/commands.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {formatImported, importedJson} from './format-imported.ts';

/** What was done, in the words of the command that did it. */
export interface ImportWords {
  /** Such as `import`. */
  readonly infinitive: string;
  /** Such as `Imported`. */
  readonly past: string;
}

/**
 * Says what became of an import: to programs as the service answered, to people in a line.
 *
 * @param imported Undefined when somebody was asked and did not say yes.
 */
export async function tellImported(
  imported: Imported | undefined,
  {context: {stdout, stderr}, flags}: Call<{readonly json: Switch}>,
  {infinitive, past}: ImportWords,
): Promise<ExitCode> {
  if (imported === undefined) {
    await stderr.write('Nothing was changed\n');
    return EXIT.failure;
  }
  const what = formatImported(imported);
  if (flags.json) await stdout.write(importedJson(imported));
  else if (imported.dryRun) await stdout.write(`Would ${infinitive} ${what}\n`);
  else if (stderr.isTerminal) await stderr.write(`${past} ${what}\n`);
  return EXIT.ok;
}

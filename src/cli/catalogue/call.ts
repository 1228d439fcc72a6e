import type {GivenSettings} from '../../config/config.ts';
import type {ExitCode} from '../failures/exit-codes.ts';
import type {CliContext} from '../terminal/context.ts';

/** What a command does. What it throws is reported by the one who called it. */
export type Command<F> = (call: Call<F>) => Promise<ExitCode>;

/** A command line that was understood. */
export interface Call<F = unknown> {
  readonly context: CliContext;
  /** In the order of the command's arguments; those that are required are there. */
  readonly arguments: readonly string[];
  readonly flags: F;
  /** Settings that were given as flags, unchecked. */
  readonly settings: GivenSettings;
  /** What was given with `--config`. */
  readonly configFile: string | undefined;
}

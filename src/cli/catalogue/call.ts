import type {GivenSettings} from '../../config/resolve-config.ts';
import type {CliContext} from '../terminal/context.ts';
import type {COMMANDS, CommandName} from './commands.ts';
import type {FlagsOf} from './spec.ts';

/** Runs a command, and returns the exit code of the process. Its caller reports the errors that it throws. */
export type Command<N extends CommandName> = (call: CallOf<N>) => Promise<number>;

/** The settings of a command line. */
export interface SettingsCall {
  readonly context: CliContext;
  /** Settings that were given as flags, unchecked. */
  readonly settings: GivenSettings;
  /** The value of `--config`. */
  readonly configFile: string | undefined;
}

/** A parsed command line. */
export interface CommandCall extends SettingsCall {
  /** In the order of the command's arguments; the required ones are present. */
  readonly arguments: readonly string[];
  /** The words after `--`, if the command has a place for them. */
  readonly command: readonly string[];
}

/** A parsed command line of one command. */
export interface CallOf<N extends CommandName> extends CommandCall {
  readonly flags: FlagsOf<(typeof COMMANDS)[N]>;
}

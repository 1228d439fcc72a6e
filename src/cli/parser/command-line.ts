import {Command, Option} from 'commander';
import {flagOf, type GivenSettings, SETTINGS, type SettingName, shownFlagOf} from '../../config/config.ts';
import type {Call} from '../catalogue/call.ts';
import {
  type AnyCommandSpec,
  COMMANDS,
  CONFIG_FLAG_DESCRIPTION,
  type FlagSpec,
  PROGRAM_NAME,
  type Switch,
} from '../catalogue/commands.ts';
import type {CliContext} from '../terminal/context.ts';
import {formatCommandHelp, formatHelp, type HelpStyle} from './help.ts';

/** What {@link createProgram} needs. */
export interface ProgramDeps {
  readonly context: CliContext;
  readonly helpStyle: HelpStyle;
  /** Called with what was understood. */
  readonly run: (spec: AnyCommandSpec, call: Call) => Promise<void>;
  /** Takes the text of help. */
  readonly print: (text: string) => void;
}

/** Makes the parser of command lines out of the catalogue. It throws a `CommanderError` where the library would end the process. */
export function createProgram(deps: ProgramDeps): Command {
  const {helpStyle, print} = deps;
  const program = new Command(PROGRAM_NAME)
    .exitOverride()
    // The style of help has decided on colours; the library would ask the environment again.
    .configureOutput({writeOut: print, outputError: () => {}, getOutHasColors: () => true})
    .configureHelp({formatHelp: () => formatHelp(helpStyle)})
    .helpOption('-h, --help', 'show how to use it')
    .helpCommand(false);
  program.option('-V, --version', 'print the version');
  for (const spec of COMMANDS) program.addCommand(createCommand(spec, deps, program));
  return program;
}

function createCommand(spec: AnyCommandSpec, {context, helpStyle, run}: ProgramDeps, program: Command): Command {
  const command = new Command(spec.name)
    .copyInheritedSettings(program)
    .description(spec.summary)
    .configureHelp({formatHelp: () => formatCommandHelp(spec, helpStyle)});
  for (const {name, description, optional, choices} of spec.arguments) {
    const argument = command.createArgument(optional ? `[${name}]` : `<${name}>`, description);
    // For completion only: the command itself says better what is wrong with another one.
    if (choices !== undefined) argument.argChoices = [...choices];
    command.addArgument(argument);
  }
  for (const [name, flag] of Object.entries(spec.flags)) command.addOption(createFlag(name, flag));
  for (const name of spec.settings) addSettingFlag(command, name);
  if (spec.settings.length > 0) command.option('--config <FILE>', CONFIG_FLAG_DESCRIPTION);
  return command.action(async () => {
    const given = command.opts<Readonly<Record<string, string | Switch>>>();
    const pick = (names: readonly string[]): Record<string, unknown> =>
      Object.fromEntries(names.filter(name => given[name] !== undefined).map(name => [name, given[name]]));
    await run(spec, {
      context,
      arguments: command.args,
      flags: pick(Object.keys(spec.flags)),
      settings: pick(spec.settings) as GivenSettings,
      configFile: given['config'] as string | undefined,
    });
  });
}

function createFlag(name: string, {description, placeholder}: FlagSpec<string> | FlagSpec<Switch>): Option {
  return new Option(placeholder === undefined ? flagOf(name) : `${flagOf(name)} <${placeholder}>`, description);
}

function addSettingFlag(command: Command, name: SettingName): void {
  const {placeholder, description, repeatable, choices} = SETTINGS[name];
  const flag = shownFlagOf(name);
  const option = new Option(placeholder === undefined ? flag : `${flag} <${placeholder}>`, description);
  // A wrong one is for the settings to judge, along with every other problem.
  if (choices !== undefined) option.argChoices = [...choices];
  if (repeatable) option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
  // A switch that the config file turns on needs a flag that turns it off, and the other way round.
  const opposite = flag === flagOf(name) ? flag.replace('--', '--no-') : flagOf(name);
  const options = placeholder === undefined ? [option, new Option(opposite).hideHelp()] : [option];
  // The one that turns it on first: the library takes a switch that can only be turned off for one that is on.
  for (const each of options.sort((a, b) => Number(a.negate) - Number(b.negate))) command.addOption(each);
}

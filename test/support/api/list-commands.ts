import {COMMAND_LIST} from '../../../src/cli/catalogue/commands.ts';
import type {ArgumentSpec, CommandSpec, FlagSpec} from '../../../src/cli/catalogue/spec.ts';
import {EXIT} from '../../../src/core/failures/exit-codes.ts';
import {
  flagOf,
  SETTING_NAMES,
  SETTINGS,
  settingFlagOf,
  shownFlagOf,
  variableOf,
} from '../../../src/platform/config/config.ts';

/** Lists the arguments and flags of each command, the variables of settings, and the exit codes. */
export function listCommands(): string {
  const settings = SETTING_NAMES.map(
    name => `setting ${name} in ${settingFlagOf(name)} ${variableOf(name)}: ${SETTINGS[name].placeholder ?? 'switch'}`,
  );
  const exits = Object.entries(EXIT).map(([name, code]) => `exit code ${code}: ${name}`);
  return `${[...COMMAND_LIST.flatMap(listCommand), ...settings, ...exits].join('\n')}\n`;
}

function listCommand({name, arguments: args, command, flags, settings}: CommandSpec): readonly string[] {
  return [
    `crewroom ${name}: command`,
    ...args.map((each, index) => `crewroom ${name} in argument ${index + 1}: ${describeArgument(each)}`),
    ...(command === undefined ? [] : [`crewroom ${name} in words after --: a command`]),
    ...Object.entries(flags).map(([flag, each]) => `crewroom ${name} in ${flagOf(flag)}: ${describeFlag(each)}`),
    ...settings.map(each => `crewroom ${name} in ${shownFlagOf(each)}: setting`),
  ];
}

function describeArgument({name, choices = [name], repeatable, optional, actions}: ArgumentSpec): string {
  return `${choices.join(' | ')}${repeatable ? ' …' : ''}${optional || actions ? '' : ', required'}`;
}

function describeFlag({placeholder = 'switch', choices = [placeholder], repeatable}: FlagSpec): string {
  return `${choices.join(' | ')}${repeatable ? ' …' : ''}`;
}

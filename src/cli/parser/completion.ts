import {RootCommand} from '@bomb.sh/tab';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {COMMAND_LIST, COMMANDS, type CommandName, isCommandName} from '../catalogue/commands.ts';
import type {CliContext} from '../terminal/context.ts';
import {sortWords} from './command-line.ts';
import {type CompletionPlace, findOffer, formatOffer} from './completion-offers.ts';
import {listFlags} from './flag-table.ts';

/** Prints the possible continuations of a command line for a shell; `args` are the words after `complete`. */
export async function complete(args: readonly string[], context: CliContext): Promise<ExitCode> {
  const words = args[0] === '--' ? args.slice(1) : args;
  // A warning would appear within the command line that is typed.
  const place = findPlace(words, {...context, stderr: {...context.stderr, write: async () => {}}});
  const offer = place && (await findOffer(place));
  if (offer !== undefined) await context.stdout.write(formatOffer(offer));
  else completeFromCatalogue(words);
  return EXIT.ok;
}

/** Offers names of commands, flags, and choices. The library prints them. */
function completeFromCatalogue(words: readonly string[]): void {
  const root = new RootCommand();
  root.option('help', 'show how to use it', 'h').option('version', 'print the version', 'V');
  for (const spec of COMMAND_LIST) {
    const command = root.command(spec.name, spec.summary);
    for (const {name, choices, offers = choices} of spec.arguments) command.argument(name, offers && offerAll(offers));
    for (const {text, description, placeholder, choices = [], isHidden} of listFlags(spec)) {
      if (isHidden) continue;
      const name = text.slice('--'.length);
      // The library takes an option with a function for one that has a value.
      if (placeholder === undefined) command.option(name, description);
      else command.option(name, description, offerAll(choices));
    }
  }
  root.parse(splitFlags(words));
}

function offerAll(choices: readonly string[]): (offer: (choice: string, description: string) => void) => void {
  return offer => {
    for (const choice of choices) offer(choice, '');
  };
}

/** Splits `--port=1` in two, unless it is the last word: the library expects the value of such a flag in the next word. */
function splitFlags(words: readonly string[]): string[] {
  return words.flatMap((word, index) => (index < words.length - 1 ? (splitFlag(word) ?? [word]) : [word]));
}

function splitFlag(word: string): readonly [flag: string, value: string] | undefined {
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
  return flag === undefined || value === undefined ? undefined : [flag, value];
}

function findPlace(words: readonly string[], context: CliContext): CompletionPlace | undefined {
  const [command = '', ...others] = joinFlags(words);
  const last = others.pop();
  if (!isCommandName(command) || last === undefined) return undefined;
  const [flag, typed] = splitFlag(last) ?? [others.at(-1), last];
  const valueName = findValueName(command, flag);
  if (valueName === undefined && typed.startsWith('-')) return undefined;
  // The flag of an unfinished value is left out of the words before it.
  if (valueName !== undefined && typed === last) others.pop();
  const {arguments: operands, problems, settings, configFile} = sortWords(COMMANDS[command], others);
  const name = valueName ?? COMMANDS[command].arguments[operands.length]?.name;
  if (name === undefined || problems.length > 0) return undefined;
  return {context, name, command, operands, typed, settings, configFile};
}

/** Returns the name of the value of a flag, such as `FILE` for `--profile`. */
function findValueName(command: CommandName, flag: string | undefined): string | undefined {
  return listFlags(COMMANDS[command]).find(({text}) => text === flag)?.placeholder;
}

/** Removes the equals signs that bash takes for words of their own if the package bash-completion is not loaded. */
function joinFlags(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const isSign = word === '=' && words[index - 1]?.startsWith('--');
    if (!isSign) return [word];
    return index === words.length - 1 ? [''] : [];
  });
}

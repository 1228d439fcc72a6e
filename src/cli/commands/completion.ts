import {RootCommand, ShellCompDirective, script} from '@bomb.sh/tab';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {COMMAND_LIST, COMMANDS, type CommandCall, isCommandName} from '../catalogue/commands.ts';
import type {SHELLS} from '../catalogue/setup-commands.ts';
import {commandFirst, sortWords} from '../parser/command-line.ts';
import {listFlags} from '../parser/flag-table.ts';
import type {CliContext} from '../terminal/context.ts';

/**
 * Replaces the one function of the package bash-completion that the script for bash calls, if that package is not installed
 * or not loaded yet.
 */
const BASH_PREAMBLE = `if ! declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref() {
        words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=\${words[cword]} prev=\${words[cword - 1]}
    }
fi

`;

/** Lets bash complete names of files if there is no other offer. */
const BASH_EPILOGUE = '\ncomplete -o default -F __crewroom_complete crewroom\n';

/** `crewroom completion`: prints the script with which a shell completes commands. */
export async function run(call: CommandCall): Promise<ExitCode> {
  // The parser has checked it.
  const [shell] = call.arguments as [(typeof SHELLS)[number]];
  const {stdout} = call.context;
  if (shell === 'bash') await stdout.write(BASH_PREAMBLE);
  script(shell, 'crewroom', 'crewroom');
  if (shell === 'bash') await stdout.write(BASH_EPILOGUE);
  return EXIT.ok;
}

/** Prints the possible continuations of a command line for a shell; `args` are the words after `complete`. */
export async function complete(args: readonly string[], context: CliContext): Promise<ExitCode> {
  const words = commandFirst(args[0] === '--' ? args.slice(1) : args);
  // Leaves names of files to the shell: it knows `~`, quotes, and which names are directories.
  if (isFileNext(words)) await context.stdout.write(`:${ShellCompDirective.ShellCompDirectiveDefault}\n`);
  else completeFromCatalogue(words);
  return EXIT.ok;
}

/** Returns whether the last word is to become the name of a file or a folder. */
function isFileNext(words: readonly string[]): boolean {
  const [command = '', ...others] = joinFlags(words);
  const last = others.pop();
  if (!isCommandName(command) || last === undefined) return false;
  const [flag, typed] = splitFlag(last) ?? [others.at(-1), last];
  const valueName = listFlags(COMMANDS[command]).find(({text}) => text === flag)?.placeholder;
  if (valueName === undefined && typed.startsWith('-')) return false;
  const {arguments: operands} = sortWords(COMMANDS[command], others);
  const name = valueName ?? COMMANDS[command].arguments[operands.length]?.name;
  // Some actions on plugins take a package or a folder in place of an id.
  return name === 'FILE' || name === 'DIR' || (command === 'plugin' && name === 'ID');
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

/** Splits `--port=1` in two, unless it is the last word: the library expects such a flag's value in the next word. */
function splitFlags(words: readonly string[]): string[] {
  return words.flatMap((word, index) => (index < words.length - 1 ? (splitFlag(word) ?? [word]) : [word]));
}

function splitFlag(word: string): readonly [flag: string, value: string] | undefined {
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
  return flag === undefined || value === undefined ? undefined : [flag, value];
}

/** Removes the equals signs that bash takes for words of their own if the package bash-completion is not loaded. */
function joinFlags(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const isSign = word === '=' && words[index - 1]?.startsWith('--');
    if (!isSign) return [word];
    return index === words.length - 1 ? [''] : [];
  });
}

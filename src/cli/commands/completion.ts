import {script} from '@bomb.sh/tab';
import {PROGRAM_NAME, SHELLS} from '../catalogue.ts';
import type {Call} from '../command.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';
import {invalidUsage} from '../usage.ts';

/**
 * What the script for bash expects of the package bash-completion, in short: where that is not installed, or not loaded
 * yet, this stands in for it.
 */
const BASH_PREAMBLE = `if ! declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref() {
        words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=\${words[cword]} prev=\${words[cword - 1]}
    }
fi

`;

/** `crewroom completion`: the script that a shell asks us with. */
export async function run(call: Call): Promise<ExitCode> {
  const [given] = call.arguments;
  const shell = SHELLS.find(name => name === given);
  if (shell === undefined)
    throw invalidUsage('completion', `SHELL has to be bash, zsh, fish or powershell, not ${JSON.stringify(given)}`);
  if (shell === 'bash') await call.context.stdout.write(BASH_PREAMBLE);
  script(shell, PROGRAM_NAME, PROGRAM_NAME);
  return EXIT.ok;
}

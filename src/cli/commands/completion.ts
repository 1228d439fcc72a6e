import {script} from '@bomb.sh/tab';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import type {CommandCall} from '../catalogue/commands.ts';
import type {SHELLS} from '../catalogue/setup-commands.ts';

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

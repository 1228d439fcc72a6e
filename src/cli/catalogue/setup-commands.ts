import {SETTING_NAMES} from '../../platform/config/config.ts';
import {grouped} from './spec.ts';

/** The shells that can complete commands. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** Commands of the installation. */
export const SETUP_COMMANDS = grouped('Setup', {
  airline: {
    summary: 'Write the files that an airline needs',
    arguments: [
      {name: 'ACTION', choices: ['init']},
      {name: 'DIR', description: 'folder for the files; default: this one', optional: true},
    ],
    flags: {
      scriptUrl: {placeholder: 'URL', description: 'address of the back end'},
      name: {placeholder: 'NAME', description: 'name of the airline'},
      icao: {placeholder: 'CODE', description: 'its ICAO code; default: none'},
      contact: {placeholder: 'TEXT', description: 'where pilots ask for help'},
    },
    settings: [],
    examples: [
      ['crewroom airline init', 'asks for the address and the name'],
      ['crewroom airline init files --name "Example Air" --script-url https://…', 'without asking'],
    ],
    notes: [
      'It writes airline.json, for-pilots.md and crewroom-alerts.yml.',
      'Nothing is overwritten.',
      '"crewroom doctor --script-url URL" checks the back end.',
    ],
  },
  config: {
    summary: 'Show every setting, its value and where it came from',
    settings: SETTING_NAMES,
    examples: [
      ['crewroom config', 'what "crewroom start" would use'],
      ['crewroom config --port 8000', 'what it would use with this flag'],
    ],
    notes: ['Flags override variables such as CREWROOM_PORT, which override the config file.'],
  },
  paths: {
    summary: 'Show where data, plugins, config file and cache are',
    settings: ['dataDir', 'pluginsDir'],
    examples: [
      ['crewroom paths', 'each path, and whether it exists'],
      ['crewroom paths --json', 'the same for programs'],
    ],
  },
  explain: {
    summary: 'Explain a failure, or list all codes',
    arguments: [{name: 'CODE', description: 'code of the failure, such as no-entry', optional: true}],
    settings: ['host', 'port'],
    examples: [
      ['crewroom explain no-entry', 'what a failure means; it needs no service'],
      ['crewroom explain', 'all codes, each with its HTTP status'],
      ['crewroom explain address-in-use --json', 'the same for programs'],
    ],
    notes: ['Commands name it with each failure. A running service has a page for each.'],
  },
  completion: {
    summary: 'Print the script that completes commands in a shell',
    arguments: [{name: 'SHELL', choices: SHELLS}],
    ownForms: true,
    settings: [],
    examples: [
      [`echo 'source <(crewroom completion bash)' >> ~/.bashrc`, 'bash'],
      [`echo 'source <(crewroom completion zsh)' >> ~/.zshrc`, 'zsh, after compinit'],
      ['crewroom completion fish > ~/.config/fish/completions/crewroom.fish', 'fish'],
      ['crewroom completion powershell >> $PROFILE', 'PowerShell'],
    ],
  },
  version: {
    summary: 'Print the version',
    settings: [],
    examples: [
      ['crewroom version', 'the version of Crewroom'],
      ['crewroom version --json', 'also of Node, the API and the store engine'],
    ],
  },
});

import {SETTING_NAMES} from '../../platform/config/config.ts';
import {grouped} from './spec.ts';

/** The shells that can complete commands. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** Commands of the installation. */
export const SETUP_COMMANDS = grouped('Setup', {
  airline: {
    summary: 'Write the files that an airline needs',
    arguments: [
      {name: 'ACTION', description: 'init', choices: ['init']},
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
      {line: 'crewroom airline init', purpose: 'asks for the address and the name'},
      {
        line: 'crewroom airline init files --name "Example Air" --script-url https://…',
        purpose: 'without asking',
      },
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
      {line: 'crewroom config', purpose: 'what "crewroom start" would use'},
      {line: 'crewroom config --port 8000', purpose: 'what it would use with this flag'},
    ],
    notes: ['Flags override variables such as CREWROOM_PORT, which override the config file.'],
  },
  paths: {
    summary: 'Show where data, plugins, config file and cache are',
    settings: ['dataDir', 'pluginsDir'],
    examples: [
      {line: 'crewroom paths', purpose: 'each path, and whether it exists'},
      {line: 'crewroom paths --json', purpose: 'the same for programs'},
    ],
  },
  explain: {
    summary: 'Explain a failure, or list all codes',
    arguments: [{name: 'CODE', description: 'code of the failure, such as no-entry', optional: true}],
    settings: ['host', 'port'],
    examples: [
      {line: 'crewroom explain no-entry', purpose: 'what a failure means; it needs no service'},
      {line: 'crewroom explain', purpose: 'all codes, each with its HTTP status'},
      {line: 'crewroom explain address-in-use --json', purpose: 'the same for programs'},
    ],
    notes: ['Commands name it with each failure. A running service has a page for each.'],
  },
  completion: {
    summary: 'Print the script that completes commands in a shell',
    arguments: [{name: 'SHELL', description: 'bash, zsh, fish or powershell', choices: SHELLS}],
    ownForms: true,
    settings: [],
    examples: [
      {line: `echo 'source <(crewroom completion bash)' >> ~/.bashrc`, purpose: 'bash'},
      {line: `echo 'source <(crewroom completion zsh)' >> ~/.zshrc`, purpose: 'zsh, after compinit'},
      {line: 'crewroom completion fish > ~/.config/fish/completions/crewroom.fish', purpose: 'fish'},
      {line: 'crewroom completion powershell >> $PROFILE', purpose: 'PowerShell'},
    ],
  },
  version: {
    summary: 'Print the version',
    settings: [],
    examples: [
      {line: 'crewroom version', purpose: 'the version of Crewroom'},
      {line: 'crewroom version --json', purpose: 'also of Node, the API and the store engine'},
    ],
  },
});

import {type CommandSpec, JSON_FLAG} from './spec.ts';

/** `crewroom service`. */
export const SERVICE_SPEC = {
  name: 'service',
  group: 'Service',
  summary: 'Start the service when you log in',
  arguments: [
    {
      name: 'ACTION',
      description: 'install, status, logs or uninstall',
      choices: ['install', 'status', 'logs', 'uninstall'],
    },
  ],
  flags: {
    lines: {placeholder: 'COUNT', description: 'log lines to show; default 100'},
    ...JSON_FLAG,
  },
  settings: [],
  examples: [
    {line: 'crewroom service install', purpose: 'let the system start it, now too'},
    {line: 'crewroom service status', purpose: 'exit code 5 if it does not run'},
    {line: 'crewroom service logs --lines 20', purpose: 'its last log lines'},
    {line: 'crewroom service uninstall', purpose: 'stop it and undo that; data stays'},
  ],
  notes: [
    'By a unit of systemd, a launch agent on macOS, a Run value on Windows.',
    'It has the paths of Node and of Crewroom, and no variable and no secret.',
    'The service reads the config file.',
  ],
} as const satisfies CommandSpec;

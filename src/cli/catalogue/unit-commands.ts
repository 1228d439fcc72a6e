import {type CommandSpec, JSON_FLAG} from './spec.ts';

/** `crewroom service`. */
export const SERVICE_SPEC = {
  name: 'service',
  group: 'Service',
  summary: 'Start the service with your session, by systemd',
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
    {line: 'crewroom service install', purpose: 'write a user unit, enable it and start it'},
    {line: 'crewroom service status', purpose: 'exit code 5 if it does not run'},
    {line: 'crewroom service logs --lines 20', purpose: 'its last log lines'},
    {line: 'crewroom service uninstall', purpose: 'stop it and remove the unit; data stays'},
  ],
  notes: [
    'The unit has the paths of Node and of Crewroom, and no variable and no secret.',
    'The service reads the config file.',
    'Linux only; the guide "Keep it running" has recipes for macOS and Windows.',
  ],
} as const satisfies CommandSpec;

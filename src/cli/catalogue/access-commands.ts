import {type CommandSpec, JSON_FLAG} from './spec.ts';

/** `crewroom token`. */
export const TOKEN_SPEC = {
  name: 'token',
  group: 'Service',
  summary: 'Create and revoke tokens of programs',
  arguments: [
    {name: 'ACTION', description: 'create, list or revoke', choices: ['create', 'list', 'revoke']},
    {name: 'NAME', description: 'the token to revoke', optional: true},
  ],
  flags: {
    name: {placeholder: 'NAME', description: 'name of the new token'},
    permission: {placeholder: 'PERMISSION', description: 'what it permits', repeatable: true},
    expires: {placeholder: 'TIME', description: 'how long it is valid, such as 12h or 30d'},
    ...JSON_FLAG,
  },
  settings: ['host', 'port', 'dataDir'],
  examples: [
    {
      line: 'crewroom token create --name backup --permission entries:read:',
      purpose: 'prints the token of a program that may read all entries',
    },
    {
      line: 'crewroom token create --name a --permission entries:write:a/ --expires 30d',
      purpose: 'write the entries below a/, for 30 days',
    },
    {line: 'crewroom token list', purpose: 'names, permissions and ends; tokens are shown once'},
    {line: 'crewroom token revoke backup', purpose: 'refuse it from now on, and end its streams'},
  ],
  notes: [
    'Permissions for the identity: identity:read, identity:secrets, session:manage.',
    'For entries: entries:read:PREFIX, entries:write:PREFIX; a prefix ends in "/".',
    'For the rest: plugins:manage, or admin for everything but tokens.',
  ],
} as const satisfies CommandSpec;

/** `crewroom access`. */
export const ACCESS_SPEC = {
  name: 'access',
  group: 'Service',
  summary: 'Give plugins permissions, and list what they lacked',
  arguments: [
    {
      name: 'ACTION',
      description: 'list, refused, grant or revoke',
      choices: ['list', 'refused', 'grant', 'revoke'],
    },
    {name: 'ID', description: 'the plugin', optional: true},
    {
      name: 'PERMISSION',
      description: 'what it permits; revoke without one takes all',
      optional: true,
      repeatable: true,
    },
  ],
  flags: JSON_FLAG,
  settings: ['host', 'port', 'dataDir'],
  examples: [
    {line: 'crewroom access list', purpose: 'plugins with permissions beside those that every plugin has'},
    {line: 'crewroom access refused', purpose: 'what plugins were refused, with the permission that includes it'},
    {
      line: 'crewroom access grant com.example.hello identity:secrets',
      purpose: 'let it read the session of the pilot',
    },
    {
      line: 'crewroom access grant com.example.hello entries:read:com.example.other/',
      purpose: 'let it read the entries of another plugin',
    },
    {line: 'crewroom access revoke com.example.hello', purpose: 'take all permissions back, and end its streams'},
  ],
  notes: [
    'They count with --access attributed and strict; in open, plugins may do all.',
    'Permissions are those of tokens: see "crewroom token --help".',
  ],
} as const satisfies CommandSpec;

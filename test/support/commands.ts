import type {CommandName} from '../../src/cli/catalogue/commands.ts';

/** A command line, what a program gets from it, and its exit code. */
export interface ExpectedCommand {
  readonly args?: readonly string[];
  readonly stdout: RegExp;
  readonly exitCode?: number;
}

/**
 * The commands that end by themselves, in the order in which they run: first `a` has the value `{"x": 1}`, and the working directory has an empty
 * export `some.ndjson`.
 */
export const COMMANDS: Readonly<
  Record<Exclude<CommandName, 'start' | 'play' | 'dev' | 'watch' | 'run' | 'stop'>, ExpectedCommand>
> = {
  get: {args: ['a'], stdout: /^\{"x": 1\}$/},
  put: {args: ['b', '2', '--json'], stdout: /^\{"key":"b",.*"created":true\}\n$/},
  patch: {args: ['a', '{"y": 2}', '--json'], stdout: /^\{"key":"a",/},
  touch: {args: ['a', '--ttl', '1h', '--json'], stdout: /^\{"key":"a",/},
  edit: {args: ['a'], stdout: /^$/, exitCode: 2},
  list: {stdout: /^KEY .*\na .*\nb .*\n$/},
  history: {args: ['a'], stdout: /^REVISION .*\n\d+ +written .*\n/},
  restore: {args: ['a', '--at', '1', '--json'], stdout: /^\{"key":"a",.*"created":false\}\n$/},
  export: {stdout: /\{"end":true,"entries":2\}\n$/},
  import: {args: ['some.ndjson', '--json'], stdout: /"entries":0/},
  snapshot: {args: ['save', 'one', '--json'], stdout: /"entries":2/},
  recover: {args: ['rest.ndjson', '--json'], stdout: /^\{"dryRun":false,"recovered":false\}\n$/},
  delete: {args: ['b', '--json'], stdout: /^\{"dryRun":false,"deleted":1\}\n$/},
  reset: {args: ['--yes', '--json'], stdout: /^\{"dryRun":false,"deleted":1\}\n$/},
  status: {stdout: /runs\n/},
  console: {
    args: ['--print', '--json'],
    stdout: /^\{"url":"http:\/\/crewroom.localhost:[0-9]+\/#code=[A-Za-z0-9_-]{43}","expiresInSeconds":60\}\n$/,
  },
  access: {args: ['grant', 'com.a', 'admin', '--json'], stdout: /^\{"plugin":"com.a","permissions":\["admin"\]\}\n$/},
  token: {args: ['create', 'a', '--permission', 'admin'], stdout: /^crewroom_[A-Za-z0-9_-]{43}\n$/},
  requests: {args: ['--json'], stdout: /^\{"sequence":1,/},
  wait: {stdout: /^$/},
  // Nothing is installed in the home directory of the tests.
  service: {args: ['status'], stdout: /^not installed\n$/, exitCode: 3},
  identity: {stdout: /^\{.*"va_user":/},
  'sign-in': {args: ['--username', '1'], stdout: /^$/, exitCode: 2},
  'sign-out': {stdout: /^No pilot was signed in/},
  doctor: {args: ['--ephemeral'], stdout: /^ok +Service /m},
  pilot: {args: ['list'], stdout: /^NAME .*\ncaptain /},
  plugin: {args: ['list'], stdout: /^$/},
  flight: {args: ['start', '--json'], stdout: /"phase":"BOARDING"/},
  fault: {args: ['list'], stdout: /^$/},
  airline: {
    args: ['init', 'air', '--script-url', 'https://air.example/', '--name', 'Air', '--json'],
    stdout: /^\{"directory":/,
  },
  config: {stdout: /^SETTING /},
  paths: {stdout: /^dataDir /m},
  explain: {args: ['no-entry'], stdout: /^no-entry \(status 404\)\n/},
  completion: {args: ['bash'], stdout: /crewroom complete --/},
  version: {stdout: /^crewroom \d/},
};

/** Commands without a flag that names the service. */
export const COMMANDS_ALONE: readonly string[] = ['airline', 'service', 'completion', 'paths', 'recover', 'version'];

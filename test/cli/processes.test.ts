import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, describe, test} from 'vitest';
import type {CommandName} from '../../src/cli/catalogue/commands.ts';
import {formatExport} from '../support/exports.ts';
import {useService} from '../support/service.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();
const service = useService({ephemeral: true});
const other = useService({ephemeral: true});

beforeAll(async () => {
  await service().crewroom.entries.put('a', '{"x": 1}');
  await writeFile(join(machine.home, 'some.ndjson'), formatExport([]));
});

/** A command line, what a program gets from it, and its exit code. */
interface Expected {
  readonly args?: readonly string[];
  readonly stdout: RegExp;
  readonly exitCode?: number;
}

/** The commands that end by themselves, in the order in which they run. */
const COMMANDS: Readonly<Record<Exclude<CommandName, 'start' | 'dev' | 'watch' | 'run' | 'stop'>, Expected>> = {
  get: {args: ['a'], stdout: /^\{"x": 1\}$/},
  put: {args: ['b', '2', '--json'], stdout: /^\{"key":"b",.*"created":true\}\n$/},
  patch: {args: ['a', '{"y": 2}', '--json'], stdout: /^\{"key":"a",/},
  touch: {args: ['a', '--ttl', '1h', '--json'], stdout: /^\{"key":"a",/},
  edit: {args: ['a', '--json'], stdout: /"changed":false/},
  list: {stdout: /^a\nb\n$/},
  export: {stdout: /\{"end":true,"entries":2\}\n$/},
  import: {args: ['some.ndjson', '--json'], stdout: /"entries":0/},
  copy: {args: ['--to', 'OTHER', '--json'], stdout: /"entries":2/},
  snapshot: {args: ['save', 'one', '--json'], stdout: /"entries":2/},
  recover: {args: ['rest.ndjson', '--json'], stdout: /^\{"recovered":false\}\n$/},
  delete: {args: ['b', '--json'], stdout: /^\{"deleted":1\}\n$/},
  reset: {args: ['--yes', '--json'], stdout: /^\{"deleted":1\}\n$/},
  status: {stdout: /runs\n/},
  console: {
    args: ['--json'],
    stdout: /^\{"url":"http:\/\/crewroom.localhost:[0-9]+\/#code=[A-Za-z0-9_-]{43}","expiresInSeconds":60\}\n$/,
  },
  access: {args: ['grant', 'com.a', 'admin', '--json'], stdout: /^\{"plugin":"com.a","permissions":\["admin"\]\}\n$/},
  token: {args: ['create', '--name', 'a', '--permission', 'admin'], stdout: /^crewroom_[A-Za-z0-9_-]{43}\n$/},
  requests: {stdout: /^\{"sequence":1,/},
  wait: {stdout: /^$/},
  // Nothing is installed in the home directory of the tests.
  service: {args: ['status'], stdout: /^not installed\n$/, exitCode: 3},
  identity: {stdout: /^\{.*"va_user":/},
  'sign-in': {args: ['--username', '1'], stdout: /^$/, exitCode: 2},
  'sign-out': {stdout: /^No pilot was signed in/},
  doctor: {args: ['--ephemeral'], stdout: /^ok +Service /m},
  pilot: {args: ['list'], stdout: /^captain\n/},
  plugin: {args: ['list'], stdout: /^$/},
  flight: {args: ['start', '--json'], stdout: /"phase":"BOARDING"/},
  fault: {args: ['list'], stdout: /^$/},
  config: {stdout: /^SETTING /},
  paths: {stdout: /^dataDir /m},
  explain: {args: ['no-entry'], stdout: /^no-entry \(status 404\)\n/},
  completion: {args: ['bash'], stdout: /crewroom complete --/},
  version: {stdout: /^crewroom \d/},
};

/** Commands without a flag that names the service. */
const ALONE: readonly string[] = ['service', 'completion', 'paths', 'recover', 'version'];

describe('a process of the built package', () => {
  for (const [name, {args = [], stdout, exitCode = 0}] of Object.entries(COMMANDS)) {
    test(`of crewroom ${name} prints its result, and ends with exit code ${exitCode}`, async () => {
      const words = args.map(word => (word === 'OTHER' ? String(other().port) : word));
      const address = ALONE.includes(name) ? [] : ['--port', String(service().port)];
      const environment = {EDITOR: 'true'};
      const finished = await machine.runProcess([name, ...words, ...address], {environment});
      assert.match(finished.stdout, stdout, finished.stderr);
      assert.deepEqual([finished.exitCode, finished.signal], [exitCode, null]);
    });
  }

  for (const {args, exitCode} of [
    {args: ['get', 'none'], exitCode: 3},
    {args: ['put', 'a', '1', '--if-match', '7'], exitCode: 4},
    {args: ['put', 'a', '-', '--if-match', '7'], exitCode: 4},
  ]) {
    test(`of crewroom ${args.join(' ')} ends with exit code ${exitCode}, and writes only to stderr`, async () => {
      const finished = await machine.runProcess([...args, '--port', String(service().port)], {input: '1'});
      assert.deepEqual([finished.exitCode, finished.stdout], [exitCode, '']);
      assert.match(finished.stderr, /^crewroom: Cannot .*\n.* \(more: crewroom explain [a-z-]+\)\n$/);
    });
  }
});

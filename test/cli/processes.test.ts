import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, describe, test} from 'vitest';
import {COMMANDS, COMMANDS_ALONE} from '../support/commands.ts';
import {formatExport} from '../support/exports.ts';
import {useService} from '../support/service.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();
const service = useService({ephemeral: true});

beforeAll(async () => {
  await service().crewroom.entries.put('a', Buffer.from('{"x": 1}'));
  await writeFile(join(machine.home, 'some.ndjson'), formatExport([]));
});

describe('a process of the built package', () => {
  for (const [name, {args = [], stdout, exitCode = 0}] of Object.entries(COMMANDS)) {
    test(`of crewroom ${name} prints its result, and ends with exit code ${exitCode}`, async () => {
      const address = COMMANDS_ALONE.includes(name) ? [] : ['--port', String(service().port)];
      const finished = await machine.runProcess([name, ...args, ...address]);
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

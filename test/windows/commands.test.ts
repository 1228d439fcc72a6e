import {writeFile} from 'node:fs/promises';
import {beforeAll, describe, expect, test} from 'vitest';
import {COMMANDS, COMMANDS_ALONE} from '../support/commands.ts';
import {formatExport} from '../support/exports.ts';
import {createUser, type Service} from './machine.ts';

const user = await createUser();
let service: Service;
let other: Service;

beforeAll(async () => {
  service = await user.start(['--ephemeral']);
  other = await user.start(['--ephemeral']);
  await fetch(`${service.url}/api/store/a`, {method: 'PUT', body: '{"x": 1}'});
  await writeFile(user.file('some.ndjson'), formatExport([]));
});

describe('the packed package', () => {
  for (const [name, {args = [], stdout, exitCode = 0}] of Object.entries(COMMANDS))
    test(`runs crewroom ${name}`, async () => {
      const words = args.map(word => (word === 'OTHER' ? String(other.port) : word));
      const address = COMMANDS_ALONE.includes(name) ? [] : ['--port', String(service.port)];
      const finished = await user.run([name, ...words, ...address]);
      expect(finished.stdout, `exit code ${finished.exitCode}: ${finished.stderr}`).toMatch(stdout);
      expect(finished.exitCode).toBe(exitCode);
    });
});

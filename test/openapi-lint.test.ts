import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect, onTestFinished, test} from 'vitest';
import {callService, useService} from './support/service.ts';

const service = useService({ephemeral: true});

test('the document of the API is valid OpenAPI 3.1, and redocly finds nothing in it', async () => {
  const {body, json} = await callService(service(), 'GET /openapi.json');
  expect(json['openapi']).toMatch(/^3\.1\./);
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-openapi-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  await writeFile(join(directory, 'openapi.json'), body);
  const redocly = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  const {stdout} = await promisify(execFile)(
    process.execPath,
    [redocly, 'lint', 'openapi.json', '--extends=recommended', '--format=json'],
    {cwd: directory, env: {...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true'}},
  ).catch(error => error);
  expect(JSON.parse(stdout)).toMatchObject({totals: {errors: 0, warnings: 0}, problems: []});
});

import {readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import {startService} from '../support/service.ts';

const NAMES = [
  ...['keyBytesMax', 'valueBytesMax', 'valueDepthMax', 'ttlSecondsMax', 'listLimit', 'listLimitMax'],
  ...[
    'listValuesBytesMax',
    'patchMembersMax',
    'transactionPatchMembersMax',
    'transactionBytesMax',
    'transactionChecksMax',
  ],
  ...[
    'transactionOperationsMax',
    'importLineBytesMax',
    'logChangesMax',
    'logBytesMax',
    'logValueBytesMax',
    'eventValueBytesMax',
  ],
  ...['waitingCommitsMax', 'subscribersMax', 'waitingEventsMax', 'waitingEventBytesMax', 'heartbeatMs'],
  ...['waitSecondsMax', 'waitEventsMax', 'connectionsMax', 'heldBytesMax', 'headerBytesMax', 'headersTimeoutMs'],
  ...['requestTimeoutMs', 'pluginRequestsMax', 'pluginTimeoutMs', 'pluginBodyBytesMax', 'pluginMemoryBytesMax'],
  'pluginLogLinesMax',
];

describe('GET /api/limits', () => {
  test('answers the limits of a service without settings, under stable names', async () => {
    expect(await readLimits({})).toEqual(DEFAULT_LIMITS);
    expect(Object.keys(DEFAULT_LIMITS)).toEqual(NAMES);
  });

  test('answers the configured limits, and the longest line of an import that follows from them', async () => {
    const settings = {valueBytesMax: 1000, valueDepthMax: 7, connectionsMax: 12};
    const importLineBytesMax = 3 * 1000 + 6 * 512 + 1024;
    expect(await readLimits(settings)).toEqual({...DEFAULT_LIMITS, ...settings, importLineBytesMax});
  });
});

test('two places refuse a value for its size: the reader of a body, and the parser of values', () => {
  const source = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(source, {recursive: true, encoding: 'utf8'}).filter(file => /(?<!\.test)\.ts$/.test(file));
  const refusing = files.filter(file =>
    readFileSync(`${source}/${file}`, 'utf8').match(/AppError\(\{code: 'too-large', what(?:: 'value')?,/),
  );
  expect(refusing.sort()).toEqual(['core/domain/entries/value.ts', 'http/core/body.ts']);
});

async function readLimits(settings: Parameters<typeof startService>[0]): Promise<unknown> {
  await using service = await startService({...settings, ephemeral: true});
  const response = await fetch(`${service.url}/api/limits`);
  return response.json();
}

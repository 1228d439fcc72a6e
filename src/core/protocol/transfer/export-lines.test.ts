import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {SAMPLE_KEYS, SAMPLE_TEXTS} from '../../../../test/contracts/shared/samples.ts';
import type {Entry} from '../../domain/entries/entry.ts';
import {parseKey, parsePrefix} from '../../domain/entries/identifiers.ts';
import {decodeJsonText, encodeJsonText} from '../../json/json-text.ts';
import {
  createExportLineParser,
  type ExportLine,
  formatEntryLines,
  formatHeaderLine,
  formatTrailerLine,
} from './export-lines.ts';

const LIMITS = {valueBytesMax: 20_000, valueDepthMax: 4};

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function text(chunk: Uint8Array): string {
  return new TextDecoder().decode(chunk);
}

function entry(key: string, json: string, expiresAtMs?: number): Entry {
  const value = encodeJsonText(json);
  const info = {key: parseKey(key), revision: 12, sizeBytes: value.length, updatedAtMs: 0};
  return {...info, json: value, ...(expiresAtMs === undefined ? {} : {expiresAtMs})};
}

const parser = createExportLineParser(LIMITS);

function parse(line: string): ExportLine {
  return parser(bytes(line));
}

describe('the lines of an export', () => {
  test('are as documented', () => {
    assert.equal(
      formatHeaderLine({revision: 57, prefix: parsePrefix('a/')}),
      '{"format":"crewroom-export","version":1,"revision":"57","prefix":"a/"}\n',
    );
    const entries = [entry('a/b', '1.0'), entry('"', '[\n1,\r2]', 1000)];
    assert.equal(
      text(formatEntryLines(entries, 'before\n')),
      [
        'before',
        '{"key":"a/b","revision":"12","updatedAt":"1970-01-01T00:00:00.000Z","value":1.0}',
        '{"key":"\\"","revision":"12","updatedAt":"1970-01-01T00:00:00.000Z","expiresAt":"1970-01-01T00:00:01.000Z","text":"[\\n1,\\r2]"}',
        '',
      ].join('\n'),
    );
    assert.equal(formatTrailerLine(2), '{"end":true,"entries":2}\n');
  });

  test('bring back every key and value, byte for byte', () => {
    for (const key of SAMPLE_KEYS) {
      for (const json of SAMPLE_TEXTS) {
        const line = text(formatEntryLines([entry(key, json)])).slice(0, -1);
        assert.equal(line.includes('\n'), false);
        const read = parse(line);
        assert.ok(read.kind === 'entry', `${line}: ${JSON.stringify(read)}`);
        assert.deepEqual([read.key, decodeJsonText(read.json), read.expiresAtMs], [parseKey(key), json, undefined]);
      }
    }
  });

  test('bring back the time of expiry, to the millisecond', () => {
    const read = parse(text(formatEntryLines([entry('k', '1', 1_790_000_000_123)])));
    assert.equal(read.kind === 'entry' && read.expiresAtMs, 1_790_000_000_123);
  });
});

describe('a line is read', () => {
  const lines = [
    {line: '{"format":"crewroom-export","version":1}', kind: 'header'},
    {line: ' { "prefix" : "a" , "version" : 1 , "format" : "crewroom-export" } \r', kind: 'header'},
    {line: '{"key":"k","value":null}', kind: 'entry'},
    {line: '{"value":[[[[1]]]],"key":"end"}', kind: 'entry'},
    {line: '{"key":"k","text":"1"}', kind: 'entry'},
    {line: '{"key":"k","value":1,"expiresAt":"2030-01-01T00:00:00+02:00"}', kind: 'entry'},
    {line: '{"end":true,"entries":0}', kind: 'trailer'},
    {line: '{"format":"crewroom-export","version":1,"new":[{}]}', kind: 'header'},
    {line: '{"end":true,"entries":1,"sha256":"00"}', kind: 'trailer'},
  ];
  for (const {line, kind} of lines) test(`${line} as the ${kind}`, () => assert.equal(parse(line).kind, kind));
});

describe('a line is refused', () => {
  const lines = [
    {line: '{"key":"k","value":1', problem: 'expected "," or "}", found the end of the text at its byte 20'},
    {line: 'nonsense', problem: 'expected "null", found "o" at its byte 1'},
    {line: '\ufeff{"key":"k","value":1}', problem: 'expected a value, found a byte order mark at its byte 0'},
    {line: '[]', problem: 'it has to be an object'},
    {line: '{}', problem: '$.key is missing'},
    {line: '{"key":"k"}', problem: '$.value is missing'},
    {line: '{"value":1}', problem: '$.key is missing'},
    {line: '{"key":1,"value":1}', problem: '$.key has to be a string'},
    {line: '{"key":"","value":1}', problem: '$.key cannot be used: it is empty'},
    {line: '{"key":"k","key":"l","value":1}', problem: '$.key occurs more than once'},
    {line: '{"key":"k","value":1,"text":"1"}', problem: '$.value is not known here'},
    {line: '{"key":"k","value":1,"ttl":1}', problem: '$.ttl is not known here'},
    {line: '{"key":"k","value":1,"revision":1}', problem: '$.revision has to be a string'},
    {line: '{"key":"k","value":[[[[[1]]]]]}', problem: 'its value nests deeper than 4 levels'},
    {line: '{"key":"k","text":"[[[[[1]]]]]"}', problem: 'its value nests deeper than 4 levels'},
    {line: `{"key":"k","value":"${'x'.repeat(20_000)}"}`, problem: 'its value is larger than 20000 bytes'},
    {line: `{"key":"k","text":"1${' '.repeat(20_000)}"}`, problem: 'its value is larger than 20000 bytes'},
    {
      line: `{"key":"${'\\u0061'.repeat(513)}","value":1}`,
      problem: '$.key cannot be used: it is longer than 512 bytes',
    },
    {line: `{"key":"${'x'.repeat(9000)}","value":1}`, problem: '$.key cannot be used: it is longer than 512 bytes'},
    {line: `{"key":"k","value":1,"${'x'.repeat(9000)}":1}`, problem: `$.${'x'.repeat(64)} is not known here`},
    {line: '{"key":"k","text":1}', problem: '$.text has to be a string'},
    {
      line: '{"key":"k","text":"[1"}',
      problem: 'in $.text expected "," or "]", found the end of the text at its byte 2',
    },
    {
      line: '{"key":"k","text":"\\ud800"}',
      problem: 'in $.text expected UTF-8, found half of a surrogate pair at its byte 0',
    },
    {line: '{"key":"k","value":1,"expiresAt":5}', problem: '$.expiresAt has to be a string'},
    ...['2030-01-01', '2030-13-01T00:00:00Z', 'tomorrow', ''].map(time => ({
      line: `{"key":"k","value":1,"expiresAt":"${time}"}`,
      problem: '$.expiresAt has to be a time such as "1970-01-01T00:00:00.000Z"',
    })),
    {line: '{"format":"other","version":1}', problem: 'it is not the header of an export of Crewroom'},
    ...['2', '17'].map(version => ({
      line: `{"format":"crewroom-export","version":${version},"new":true}`,
      problem: `$.version is ${version}: a newer Crewroom wrote it, and this service reads version 1 only`,
    })),
    ...['0', '"1"', '1.0', '[1]', '-2'].map(version => ({
      line: `{"format":"crewroom-export","version":${version},"new":true}`,
      problem: '$.version has to be 1',
    })),
    {line: '{"format":"crewroom-export"}', problem: '$.version is missing'},
    {line: '{"format":"crewroom-export","version":1,"new":1,"new":1}', problem: '$.new occurs more than once'},
    {
      line: '{"format":"crewroom-export","version":1,"prefix":"\\u0000"}',
      problem: '$.prefix cannot be used: it contains a control character',
    },
    {line: '{"end":1,"entries":1}', problem: '$.end has to be true'},
    {line: '{"end":true,"entries":-1}', problem: '$.entries has to be the number of entries'},
    {line: '{"end":true}', problem: '$.entries is missing'},
  ];
  for (const {line, problem} of lines)
    test(line.slice(0, 70), () => assert.deepEqual(parse(line), {kind: 'wrong', problem}));
});

import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {transform} from 'esbuild';
import {expect, test} from 'vitest';
import {startService} from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the code of docs/client.md does what it says, from top to bottom', async () => {
  const service = await startService({ephemeral: true});
  try {
    const page = readFileSync(`${ROOT}/docs/client.md`, 'utf8');
    const blocks = Array.from(page.matchAll(/^```ts\n([\s\S]*?)^```$/gm), match => match[1] ?? '');
    const shown = [
      'console.log(settings.value.volume, flight.text, new TextDecoder().decode(flight.json), checked.value.volume)',
      'console.log(document.va_user.pilotID, events.cursor)',
    ];
    const script = [...blocks, ...shown].join('\n').replaceAll('http://localhost:7172', service.url);
    const {code} = await transform(script, {loader: 'ts', format: 'esm', target: 'es2022'});
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {cwd: ROOT});
    expect((await run).stdout.split('\n')).toEqual([
      'com.example.hello/flight {"id": 9007199254740994}',
      'com.example.hello/settings {"volume":0.5,"muted":true}',
      'com.example.hello/flight {"id": 9007199254740994}',
      'com.example.hello/settings {"volume":0.5,"muted":true}',
      expect.stringMatching(/^[\d.]+ [0-9a-z]+ memory true read-write$/),
      'signed-in Ada Quill (CRW0042), Crewroom Air undefined',
      expect.stringMatching(/^Cannot change "com.example.hello\/counter": expected revision 1, found no entry \[$/),
      expect.any(String),
      expect.any(String),
      '0.5 {"id": 9007199254740993} {"id": 9007199254740993} 0.5',
      'CRW0042 undefined',
      '',
    ]);
  } finally {
    await service[Symbol.asyncDispose]();
  }
});

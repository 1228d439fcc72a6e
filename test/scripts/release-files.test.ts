import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {finishAll} from '../../release/run.ts';

const STARTERS = fileURLToPath(new URL('../../release/starters', import.meta.url));

describe('what the files of a release are made with', () => {
  test('the starters have the line ends of their system, and ASCII alone', async () => {
    const names = await readdir(STARTERS);
    expect(names.sort()).toEqual(['crewroom', 'crewroom-console.cmd', 'crewroom.cmd']);
    for (const name of names) {
      const text = await readFile(join(STARTERS, name), 'latin1');
      expect(text, name).toMatch(name.endsWith('.cmd') ? /^([\x20-\x7e]+\r\n)+$/ : /^([\x20-\x7e]+\n)+$/);
    }
  });

  test('a failure waits until all else has ended', async () => {
    const ended: string[] = [];
    const works = [
      Promise.reject(new Error('the first')),
      new Promise(resolve => setImmediate(resolve)).then(() => void ended.push('second')),
      Promise.reject(new Error('the third')),
    ];
    const all = finishAll(works).finally(() => ended.push('all'));
    await expect(all).rejects.toThrow('the first');
    expect(ended).toEqual(['second', 'all']);
  });
});

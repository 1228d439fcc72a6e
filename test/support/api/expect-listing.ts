import {existsSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {expect} from 'vitest';
import {breaksBetween, formatDifferences} from './breaks.ts';

const FOLDER = fileURLToPath(new URL('../../api/', import.meta.url));

/** Compares a listing with its file in `test/api/`; the failure says which lines are a break. */
export async function expectListing(name: string, text: string): Promise<void> {
  const file = `${FOLDER}${name}.txt`;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  await expectText(name, text, formatDifferences(breaksBetween(before, text)));
}

/** Compares a text for people with its file in `test/api/`. */
export async function expectText(name: string, text: string, about = 'Only words for people differ.'): Promise<void> {
  const message = `the public surface differs from test/api/${name}.txt\n${about}\n`;
  await expect(text, message).toMatchFileSnapshot(`${FOLDER}${name}.txt`);
}

import {readdir, readFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {callService, useService} from '../support/service.ts';

const service = useService();

/** Folder of the built console. */
const BUILT = fileURLToPath(new URL('../../dist/console', import.meta.url));

/** Largest size of the files that the page loads at first, in bytes, compressed with gzip. */
const COMPRESSED_BYTES_MAX = 200_000;

async function listFiles(): Promise<readonly string[]> {
  const entries = await readdir(BUILT, {recursive: true, withFileTypes: true});
  return entries.filter(each => each.isFile()).map(each => join(each.parentPath, each.name).slice(BUILT.length + 1));
}

describe('the console', () => {
  test('is answered with all its files, which browsers keep and revalidate', async () => {
    const {headers, text} = await callService(service(), 'GET /');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const names = await listFiles();
    const scripts = await Promise.all(
      names.filter(name => name.endsWith('.js')).map(name => readFile(join(BUILT, name), 'utf8')),
    );
    for (const name of names) {
      const isLoaded = [text, ...scripts].some(each => each.includes(basename(name)));
      expect([name, name === 'index.html' || isLoaded]).toEqual([name, true]);
      const answer = await callService(service(), `GET /console/${name}`);
      expect([name, answer.status, answer.headers.get('cache-control')]).toEqual([name, 200, 'no-cache']);
      const again = await callService(service(), `GET /console/${name}`, {
        headers: [`If-None-Match: ${answer.headers.get('etag')}`],
      });
      expect(again.status).toBe(304);
    }
  });

  test('is small when it is opened, and has no script or style inside of the page', async () => {
    const {text} = await callService(service(), 'GET /');
    const names = [...text.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThanOrEqual(3);
    const files = await Promise.all(['index.html', ...names].map(name => readFile(join(BUILT, name))));
    const sizes = files.map(content => gzipSync(content).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(COMPRESSED_BYTES_MAX);
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|style=/);
  });

  for (const path of ['/console/none.js', '/console/', '/console/..%2findex.js', '/console/%2e%2e/index.js']) {
    test(`has no file at ${path}`, async () => {
      expect((await callService(service(), `GET ${path}`)).json).toMatchObject({code: 'no-resource', status: 404});
    });
  }

  const WINDOW = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
  for (const {name, headers, mark} of [
    {name: 'a page of its own', headers: ['Sec-Fetch-Site: same-origin', ...WINDOW], mark: 'opened-by-own-page'},
    {name: 'a typed address', headers: ['Sec-Fetch-Site: none', ...WINDOW], mark: 'opened-from-outside'},
    {name: 'a program', headers: [], mark: 'opened-from-outside'},
    {name: 'a link of another site', headers: ['Sec-Fetch-Site: cross-site', ...WINDOW], mark: 'opened-from-outside'},
    {name: 'a page of another port', headers: ['Sec-Fetch-Site: same-site', ...WINDOW], mark: 'opened-from-outside'},
  ]) {
    test(`knows that it was opened by ${name}`, async () => {
      const answer = await callService(service(), 'GET /', {headers});
      expect([answer.status, answer.headers.get('server-timing')]).toEqual([200, mark]);
    });
  }
});

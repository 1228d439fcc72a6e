import {gzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {createClient} from '../../src/client/client.ts';
import {AppError} from '../../src/core/failures/app-error.ts';
import {findStatus} from '../../src/core/failures/facts.ts';
import {isSentFailure} from '../../src/core/failures/failure.ts';
import {formatFailure} from '../../src/core/protocol/failure/failure-document.ts';
import {API_HEADER, API_VERSION} from '../../src/core/protocol/headers/api-header.ts';
import {bundleClient} from '../support/bundle-client.ts';
import {FAILURES} from '../support/sample-failures.ts';

/** Maximum size of the client in a page, gzipped, in bytes. */
const GZIPPED_BYTES_MAX = 8 * 1024;

test('the client for a page is less than 8 KiB gzipped, and imports nothing', async () => {
  const {code, metafile} = await bundleClient();
  const sizeBytes = gzipSync(code).length;
  console.log(`crewroom/client: ${code.length} bytes minified, ${sizeBytes} bytes gzipped`);
  expect(sizeBytes).toBeLessThan(GZIPPED_BYTES_MAX);
  expect(Object.values(metafile.outputs).flatMap(({imports}) => imports)).toEqual([]);
  expect(
    Object.keys(metafile.inputs).filter(
      path => !/^(<stdin>|dist\/(client|core\/(domain|failures|json|protocol|time))\/)/.test(path),
    ),
  ).toEqual([]);
});

async function importBundle(): Promise<typeof import('../../src/client/index.ts')> {
  const {code} = await bundleClient();
  return await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

test('the client for a page has the members of every failure of the service', async () => {
  const page = await importBundle();
  const sent = Object.values(FAILURES).filter(isSentFailure);
  expect(sent.length).toBeGreaterThan(50);
  for (const failure of sent) {
    const text = formatFailure(new AppError(failure), {title: 'x', instance: 'y'});
    const status = findStatus(failure.code) ?? 0;
    const fetch = async (): Promise<Response> => new Response(text, {status, headers: {[API_HEADER]: API_VERSION}});
    await expect(page.createClient({fetch, attemptsMax: 1}).identity()).rejects.toMatchObject({failure});
  }
});

test('the client for a page refuses unknown options, with the words of every other', async () => {
  const page = await importBundle();
  const misspelt = {url: 'http://localhost:8000'} as never;
  const words = 'Cannot use the parameter "url": the operation has no such parameter; it has baseUrl, token,';
  for (const create of [page.createClient, createClient]) expect(() => create(misspelt)).toThrow(words);
  const {entries} = page.createClient({fetch: () => Promise.reject(new Error('nothing is sent'))});
  await expect(entries.put('a', '1', {ttl: 5} as never)).rejects.toMatchObject({code: 'invalid-parameter'});
});

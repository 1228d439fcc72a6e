import {gzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {bundleClient} from '../support/bundle-client.ts';

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
      path => !/^(<stdin>|dist\/(client|domain|failures|json|protocol|time)\/)/.test(path),
    ),
  ).toEqual([]);
});

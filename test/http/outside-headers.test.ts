import {request} from 'node:http';
import {expect, test} from 'vitest';
import {startService} from '../support/service.ts';

/** Sends a path as it is. */
function get(url: string, path: string): Promise<{readonly status: number | undefined; readonly rawHeaders: string[]}> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {path}, response => {
      response.resume();
      resolve({status: response.statusCode, rawHeaders: response.rawHeaders});
    });
    sent.on('error', reject).end();
  });
}

const HOSTILE = ['a%0D%0ASet-Cookie:%20x=1', 'a%00', '%C4%81', 'a%7F', '%E2%80%AE', '%2F%2Fevil.example', 'a%22b'];

test('no text of a request becomes a header of the answer, or fails it', async () => {
  await using service = await startService();
  for (const text of HOSTILE)
    for (const path of [
      `/plugins/${text}`,
      `/plugins/${text}?a=${text}`,
      `/api/${text}/`,
      `/api/store/${text}/`,
      `/docs/${text}/`,
      `/api/keys/?prefix=${text}`,
    ]) {
      const {status, rawHeaders} = await get(service.url, path);
      expect(status, path).toBeLessThan(500);
      expect(rawHeaders.join('\n')).toMatch(/^[\x20-\x7e\n]*$/);
      expect(rawHeaders).not.toContain('Set-Cookie');
    }
});

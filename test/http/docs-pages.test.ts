import {describe, expect, test} from 'vitest';
import {findStatus} from '../../src/failures/facts.ts';
import {adviseOnFailure} from '../../src/failures/failure-advice.ts';
import {FAILURE_CODES} from '../../src/failures/rows/rows.ts';
import {callService, useService} from '../support/service.ts';

const service = useService();

async function read(path: string): Promise<string> {
  const response = await fetch(`http://localhost:${service().port}${path}`);
  expect(response.status, path).toBe(200);
  return response.text();
}

/** Returns the text that a browser shows for a page. */
function shownText(html: string): string {
  const text = html.replace(/<[^>]*>/g, '');
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>');
}

describe('the page of a failure', () => {
  for (const code of FAILURE_CODES) {
    test(`${code} has its status and its advice`, async () => {
      const text = shownText(await read(`/docs/errors/${code}`));
      expect(text).toContain(code);
      expect(text).toContain(findStatus(code) === undefined ? 'No request' : `status ${findStatus(code)} (`);
      expect(text).toContain(adviseOnFailure(code));
    });

    test(`${code} leads to the guide or reference that answers it`, async () => {
      const [, when = ''] = (await read(`/docs/errors/${code}`)).split(/(?=<h2)/);
      expect(when).toMatch(/<a href="\/docs\/(?!errors)/);
    });

    test(`${code} is listed on the page of all`, async () => {
      expect(await read('/docs/errors')).toContain(`<a href="/docs/errors/${code}">`);
    });
  }

  test('is where the type of the failure leads', async () => {
    const {json} = await callService(service(), 'GET /api/store/absent');
    expect(shownText(await read(String((json as {type: unknown}).type)))).toContain('"code": "no-entry"');
  });
});

describe('the pages of the documentation', () => {
  test('lead to pages that exist, with the headings that links name', async () => {
    const seen = new Map<string, string>();
    const waiting = ['/docs'];
    const links = new Set<string>();
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      const page = await read(path);
      seen.set(path, page);
      // Scripts have texts that look like links.
      if (path.endsWith('.js')) continue;
      for (const [, target = ''] of page.matchAll(/(?:href|src)="([/#][^"]*)"/g)) {
        const link = target.startsWith('#') ? path + target : target;
        links.add(link);
        waiting.push(link.replace(/#.*/, ''));
      }
    }
    expect(seen.size).toBeGreaterThan(100);
    const broken = [...links].filter(link => {
      const [path = '', id] = link.split('#');
      return id !== undefined && path !== '/' && !seen.get(path)?.includes(`id="${decodeURIComponent(id)}"`);
    });
    expect(broken).toEqual([]);
  });

  test('have all pages at their side, and the one before and after them', async () => {
    const contents = await read('/docs');
    const guides = Array.from(contents.matchAll(/<li><a href="(\/docs\/guides\/[^"]+)">/g), ([, path = '']) => path);
    expect(new Set(guides).size).toBeGreaterThan(10);
    for (const path of new Set(guides)) {
      const page = await read(path);
      for (const other of guides) expect(page).toContain(`href="${other}"`);
      expect(page).toContain(`<a href="${path}" aria-current="page">`);
      expect(page).toMatch(/<a rel="next" href="\/docs\//);
    }
  });

  test('have coloured code, which can be scrolled with the keyboard as tables can', async () => {
    const page = await read('/docs/client');
    expect(page).toMatch(/<pre tabindex="0"><code>[\s\S]*?<span class="hljs-keyword">import<\/span>/);
    expect(await read('/docs/errors')).toContain('aria-label="Table" tabindex="0"><table>');
  });

  test('run no script and no style but those of files', async () => {
    for (const path of ['/docs', '/docs/api', '/docs/client'])
      expect(await read(path)).not.toMatch(/<script>|<style|\sstyle="|\son[a-z]+="/);
  });

  test('are opened in a window from any site, and framed by none', async () => {
    const headers = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Sec-Fetch-Site: cross-site'];
    const opened = await callService(service(), 'GET /docs/guides/first-plugin', {headers});
    expect(opened.status).toBe(200);
    expect(opened.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  for (const path of ['/docs/none', '/docs/errors/none', '/docs/errors/..%2findex', '/docs/guides/first-plugin.md']) {
    test(`${path} is not one`, async () => {
      const {status, json} = await callService(service(), `GET ${path}`);
      expect(status).toBe(404);
      expect(json).toMatchObject({code: 'no-resource'});
    });
  }
});

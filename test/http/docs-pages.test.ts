import {describe, expect, test} from 'vitest';
import {adviseOnCode, findStatus} from '../../src/core/failures/facts.ts';
import {FAILURE_CODES} from '../../src/core/failures/rows/rows.ts';
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

test('at the name of the console a window that another page opened is led to localhost, away from what is kept there', async () => {
  const {port} = service();
  const open = (path: string, site: string, host: string) => {
    const headers = [`Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
    return callService(service(), `GET ${path}`, {headers, host: `${host}:${port}`});
  };
  for (const path of ['/docs', '/docs/access', '/docs/guides/tour', '/docs/errors/no-entry']) {
    for (const site of ['same-site', 'cross-site']) {
      const {status, headers} = await open(path, site, 'crewroom.localhost');
      expect(status, path).toBe(308);
      expect(headers.get('location')).toBe(`http://localhost:${port}${path === '/docs' ? '/docs/index' : path}`);
      expect((await open(path, site, 'localhost')).status).toBe(200);
      const missing = await open('/nope', site, 'crewroom.localhost');
      expect(missing.headers.get('content-type'), site).toBe('application/problem+json; charset=utf-8');
    }
    for (const site of ['same-origin', 'none'])
      expect((await open(path, site, 'crewroom.localhost')).status, site).toBe(200);
  }
  expect((await open('/docs/index', 'cross-site', 'localhost')).status).toBe(200);
});

describe('the page of a failure', () => {
  test('has its status and its advice, and leads to the guide or reference that answers it', async () => {
    for (const code of FAILURE_CODES) {
      const page = await read(`/docs/errors/${code}`);
      const text = shownText(page);
      expect(text).toContain(code);
      expect(text, code).toContain(findStatus(code) === undefined ? 'No request' : `status ${findStatus(code)} (`);
      for (const line of adviseOnCode(code).split('\n')) expect(text, code).toContain(line);
      const [, when = ''] = page.split(/(?=<h2)/);
      expect(when, code).toMatch(/<a href="\/docs\/(?!errors)/);
    }
  });

  test('is listed on the page of all', async () => {
    const all = await read('/docs/errors');
    for (const code of FAILURE_CODES) expect(all).toContain(`<a href="/docs/errors/${code}">`);
  });

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

describe('an address without a page', () => {
  const navigation = ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];

  // The guard refuses windows at other addresses than those of pages, before anything is looked up there.
  for (const [path, status] of [
    ['/nope', 403],
    ['/nope/further', 403],
    ['/docs/nope', 404],
    ['/docs/guides/nope', 404],
    ['/docs/errors/nope', 404],
    ['/plugins/nope/', 404],
  ] as const)
    test(`shows a page with a search to a person who opens ${path}, and a failure to all others`, async () => {
      const page = await callService(service(), `GET ${path}`, {headers: navigation});
      expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<h1>There is no such page</h1>');
      expect(page.text).toContain('<input type="search"');
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(page.headers.get('etag')).toBe(undefined);
      const {json} = await callService(service(), `GET ${path}`);
      expect(json).toMatchObject({code: 'no-resource', status: 404});
    });

  const frame = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'];
  for (const {line, headers = navigation, status} of [
    {line: 'GET /api/nope', status: 403},
    {line: 'POST /nope', status: 403},
    {line: 'GET /plugins/nope/', headers: frame, status: 404},
  ])
    test(`is a failure for ${line} with ${headers.at(-1)}`, async () => {
      const answer = await callService(service(), line, {headers});
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        status,
        'application/problem+json; charset=utf-8',
      ]);
    });
});

import {join} from 'node:path';
import {expect, test} from 'vitest';
import {ACCESS_MODES, type AccessMode} from '../../src/core/domain/access/access.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {type PluginService, startPlugins} from '../support/plugin-service.ts';
import {callService} from '../support/service.ts';

const ID = 'com.example.acting';
const PATH = `/plugins/${ID}/?a`;
const WINDOW = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];

function start(access: AccessMode = 'open'): Promise<PluginService> {
  const files = {'plugin.json': manifestOf(ID, {name: '<i>"&\u202e'}), 'ui/index.html': '<!doctype html>acting'};
  return startPlugins(directory => writePlugin(join(directory, ID), files), {ephemeral: true, access});
}

test('a window that no page of ours led to gets a question in place of a page of a plugin, without anything of it', async () => {
  const service = await start();
  for (const headers of [
    WINDOW,
    ['Sec-Fetch-Site: none', ...WINDOW],
    ['Sec-Fetch-Site: none', ...WINDOW, 'Referer: '],
  ]) {
    const {status, text, headers: answered} = await callService(service, `GET ${PATH}`, {headers});
    expect(status).toBe(200);
    expect(text).toContain('<bdi>&#60;i&#62;&#34;&#38;\u202e</bdi>');
    expect(text).not.toContain('html>acting');
    expect(answered.get('cache-control')).toBe('no-store');
    expect(answered.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src/,
    );
    expect(answered.get('content-security-policy')).toContain("frame-ancestors 'none'");
  }
});

test('the question at a shared name leads to the origin of the page unless the service admits all callers', async () => {
  for (const access of ACCESS_MODES) {
    const service = await start(access);
    const {text} = await callService(service, `GET ${PATH}`, {headers: ['Sec-Fetch-Site: none', ...WINDOW]});
    expect(text.includes('data-own="http://'), access).toBe(access !== 'open');
  }
});

test('a page that a page of ours led to, a frame, a script and a program get the page itself', async () => {
  const service = await start();
  const own = `Referer: http://crewroom.localhost:${service.port}/`;
  for (const {headers, caching} of [
    {headers: ['Sec-Fetch-Site: same-origin', ...WINDOW], caching: 'no-store'},
    {headers: ['Sec-Fetch-Site: same-site', ...WINDOW, own], caching: 'no-store'},
    {headers: ['Sec-Fetch-Site: same-site', WINDOW[0] ?? '', 'Sec-Fetch-Dest: iframe', own], caching: 'no-store'},
    {headers: ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'], caching: 'no-cache'},
    {headers: [], caching: 'no-cache'},
  ]) {
    const answer = await callService(service, `GET ${PATH}`, {headers});
    expect([answer.status, answer.headers.get('cache-control')], headers.join()).toEqual([200, caching]);
    expect(answer.text).toContain('html>acting');
  }
});

test('what is no page of a plugin is missing, and not asked for', async () => {
  const service = await start();
  const headers = ['Sec-Fetch-Site: none', ...WINDOW];
  expect((await callService(service, 'GET /plugins/com.example.none/?a', {headers})).status).toBe(404);
});

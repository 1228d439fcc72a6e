import {describe, expect, test} from 'vitest';
import {FAILURE_CODES} from '../../src/core/failures/rows/rows.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

describe('crewroom explain', () => {
  test('explains each code without a service, as text without marks', async () => {
    for (const code of FAILURE_CODES) {
      const {exitCode, stdout} = await machine.run(['explain', code]);
      expect(exitCode, code).toBe(0);
      const [head = '', meaning = '', advice = '', page] = stdout.trimEnd().split('\n\n');
      expect(head).toMatch(new RegExp(`^${code}(?: \\(status \\d{3}\\))?$`));
      expect(meaning.length, code).toBeGreaterThan(20);
      expect(advice.length, code).toBeGreaterThan(10);
      expect(page).toBe(`While the service runs: http://127.0.0.1:7172/docs/errors/${code}`);
      expect(stdout).not.toMatch(/\]\(|\*\*/);
    }
  });

  test('lists all codes, each with the status of its answer', async () => {
    const {exitCode, stdout} = await machine.run(['explain']);
    expect(exitCode).toBe(0);
    const [, ...rows] = stdout.trimEnd().split('\n');
    expect(rows.map(row => row.split(/\s+/)[0])).toEqual(FAILURE_CODES);
    expect(rows).toContainEqual(expect.stringMatching(/^no-entry +404$/));
    expect(rows).toContainEqual(expect.stringMatching(/^address-in-use +-$/));
    const {stdout: lines} = await machine.run(['explain', '--json']);
    expect(JSON.parse(lines.split('\n')[0] ?? '')).toEqual({code: FAILURE_CODES[0], status: 400});
  });

  test('refuses an unknown code, and knows what was meant', async () => {
    const {exitCode, stderr} = await machine.run(['explain', 'no-entri']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('there is no failure "no-entri"; did you mean no-entry?');
  });
});

describe('a failure of the command line', () => {
  test('names the command that explains it, and that command its page, which a running service has', async () => {
    const service = await machine.start(['--ephemeral']);
    const port = String(service.port);
    const {stderr} = await machine.run(['get', 'absent', '--port', port]);
    const [, command = ''] = /\(more: crewroom (.+)\)$/m.exec(stderr) ?? [];
    const {stdout} = await machine.run([...command.split(' '), '--port', port]);
    const [, url = ''] = /^While the service runs: (.+)$/m.exec(stdout) ?? [];
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<h1 id="no-entry">no-entry</h1>');
    await service.stop();
  });

  test('has the address of its page in JSON, as a problem document has', async () => {
    const {stderr} = await machine.run(['get', 'absent', '--port', '1', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({code: 'service-unreachable', type: '/docs/errors/service-unreachable'});
  });
});

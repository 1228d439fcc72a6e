import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {CAN_LIMIT} from './support/store-fixture.ts';

/** Runs code with some modules in a process that has no file descriptors left. @returns What the code returns. */
async function runWithoutDescriptors(imports: string, code: string): Promise<unknown> {
  const program = `
    import {closeSync, openSync} from 'node:fs';
    ${imports}
    const descriptors = [];
    try {
      for (;;) descriptors.push(openSync('/dev/null'));
    } catch {}
    const result = await (async () => { ${code} })();
    // Errors of a child are emitted later than its start fails.
    await new Promise(setImmediate);
    for (const each of descriptors) closeSync(each);
    console.log(JSON.stringify(result));`;
  const words = ['--nofile=128', process.execPath, '--import', 'tsx', '--input-type=module', '-e', program];
  const {stdout} = await promisify(execFile)('prlimit', words, {cwd: SOURCES});
  return JSON.parse(stdout);
}

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

describe.skipIf(!CAN_LIMIT)('a service without file descriptors goes on (needs prlimit)', () => {
  test('if it starts the background of a plugin', async () => {
    const ended = await runWithoutDescriptors(
      `import {Background} from './plugins/background/background.ts';
      import {Secrets} from './plugins/background/log/secrets.ts';
      import {PROCESS_TIMERS} from './core/time/timers.ts';`,
      `const plugin = {id: 'com.example.test', directory: '/', file: '/index.js', storagePath: '/', token: ''};
      const service = {servicePort: 1, serviceHosts: [], environment: {}, identity: {json: Buffer.from('{}'), summary: ''}};
      const rest = {secrets: new Secrets(), onLog: () => {}, nowMs: Date.now, timers: PROCESS_TIMERS};
      return new Background({...plugin, ...service, ...rest}).ended;`,
    );
    expect(ended).toMatch(/^it could not be started: .* limit of open files$/);
  });

  test('if it asks the keychain', async () => {
    const failure = await runWithoutDescriptors(
      `import {openKeychain} from './service/identity/keychain/keychain.ts';`,
      `return openKeychain({environment: {}}).get('pilot').catch(error => error.failure);`,
    );
    expect(failure).toMatchObject({code: 'unavailable', what: 'keychain', problem: expect.stringContaining('EMFILE')});
  });

  test('if it asks the service manager', async () => {
    const failure = await runWithoutDescriptors(
      `import {runSystemProgram} from './cli/autostart/autostart.ts';`,
      `return runSystemProgram('true', [], {environment: process.env}).catch(error => error.failure);`,
    );
    expect(failure).toMatchObject({code: 'service-manager-failed', problem: expect.stringContaining('EMFILE')});
  });
});

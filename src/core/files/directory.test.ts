import {execFile} from 'node:child_process';
import {chmod, chown, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {onTestFinished, test} from 'vitest';

/** Any user but root, who may write everything. */
const OTHER_USER = 65534;

test.runIf(process.getuid?.() === 0)('files that their owner may not write are synced', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-sync-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  const file = join(directory, 'read-only');
  await writeFile(file, '1');
  await chmod(file, 0o444);
  await chown(file, OTHER_USER, OTHER_USER);
  await chown(directory, OTHER_USER, OTHER_USER);
  const module = JSON.stringify(new URL('../../../dist/core/files/directory.js', import.meta.url).href);
  // Loaded before: the files of the service may be in a folder of root alone.
  const code = `const {syncTree} = await import(${module}); process.setuid(${OTHER_USER}); await syncTree(${JSON.stringify(directory)});`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
});

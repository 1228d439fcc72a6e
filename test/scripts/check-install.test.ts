import {execFile} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {IS_WINDOWS} from '../support/platform.ts';
import {makeTemporaryDirectory} from '../support/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a script of npm in a clone in which npm has left something out. @returns What it prints, if it fails. */
async function runIn(path: string, script: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const ran = promisify(execFile)(IS_WINDOWS ? 'npm.cmd' : 'npm', script, {cwd: path, env: {...process.env, ...env}});
  return ran.then(
    () => 'succeeded',
    ({stdout, stderr}) => `${stdout}${stderr}`,
  );
}

/** Makes a clone with these packages installed, and nothing built. */
async function makeClone(packages: readonly string[]) {
  const clone = await makeTemporaryDirectory();
  const {scripts} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(clone.path, 'package.json'), JSON.stringify({name: 'clone', type: 'module', scripts}));
  cpSync(join(root, 'scripts'), join(clone.path, 'scripts'), {recursive: true});
  for (const name of packages) {
    mkdirSync(join(clone.path, 'node_modules', name), {recursive: true});
    writeFileSync(join(clone.path, 'node_modules', name, 'package.json'), '{}');
  }
  return clone;
}

describe('the first commands of README say what is missing, and how to get it:', () => {
  for (const script of [['start'], ['test'], ['run', 'build'], ['run', 'prepare']])
    test(`npm ${script.join(' ')} after npm ci with NODE_ENV=production`, async () => {
      await using clone = await makeClone([]);
      const printed = await runIn(clone.path, script, {NODE_ENV: 'production'});
      expect(printed).toContain('Run this first: npm ci --include=dev --ignore-scripts=false\n');
      expect(printed).not.toMatch(/^ +at |Error:/m);
    });

  for (const script of [['start'], ['test']])
    test(`npm ${script.join(' ')} after npm ci with ignore-scripts=true`, async () => {
      await using clone = await makeClone(['typescript', 'vitest']);
      const printed = await runIn(clone.path, script, {npm_config_ignore_scripts: 'true'});
      expect(printed).toContain('Run this first: npm run build\n');
      expect(printed).not.toMatch(/^ +at |Error:/m);
    });
});

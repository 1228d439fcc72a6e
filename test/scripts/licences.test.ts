import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, onTestFinished, test} from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

function listLicences(folder: string) {
  const script = join(root, 'scripts', 'list-licences.js');
  return spawnSync(process.execPath, [script, folder], {encoding: 'utf8'});
}

describe('npm run licences', () => {
  test('lists every dependency with a permissive licence', () => {
    const {status, stdout, stderr} = listLicences(root);
    expect([status, stderr]).toEqual([0, '']);
    const {dependencies} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [name, version] of Object.entries(dependencies)) expect(stdout).toContain(` ${name} ${version}\n`);
    // Of bundles, and of what is in them.
    for (const name of ['valibot', 'protobufjs', 'msgpackr', '@clack/core']) expect(stdout).toContain(` ${name} `);
    expect(stdout).not.toContain('vitest');
  });

  for (const license of ['GPL-3.0', '(GPL-2.0 AND MIT)', 'UNLICENSED', undefined]) {
    test(`refuses ${license ?? 'a package without a licence'}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'crewroom-licences-'));
      onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
      const packages = {
        'node_modules/a': {version: '1.0.0', license},
        'node_modules/b': {version: '1.0.0', license: '(MIT OR GPL-2.0)'},
      };
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({packages}));
      const {status, stderr} = listLicences(folder);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^not permissive, or unknown: a \(.*\)\n$/);
    });
  }
});

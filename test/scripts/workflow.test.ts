import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts;
const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows'));

interface Workflow {
  readonly jobs: Readonly<Record<string, {readonly steps: readonly {readonly run?: string}[]}>>;
}

describe.each(WORKFLOWS)('the workflow %s', name => {
  const {jobs} = parse(read(`.github/workflows/${name}`)) as Workflow;

  test('has steps that are scripts of package.json only, so that anyone can run them', () => {
    const commands = Object.values(jobs).flatMap(({steps}) => steps.flatMap(({run}) => run ?? []));
    expect(commands).toContain('npm run ci');
    const named = commands.filter(command => command !== 'npm ci').map(command => /^npm run (\S+)$/.exec(command)?.[1]);
    expect(named.filter(script => script === undefined || !Object.hasOwn(scripts, script))).toEqual([]);
  });
});

test('what runs every check of a change calls scripts of package.json', () => {
  const named = Array.from(read('.ci/run').matchAll(/\bnpm run (?:--silent )?([\w:]+)/g), ([, script = '']) => script);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(script => !Object.hasOwn(scripts, script))).toEqual([]);
});

test('templates of issues and changes have at most ten lines', () => {
  for (const name of ['ISSUE_TEMPLATE.md', 'PULL_REQUEST_TEMPLATE.md'])
    expect([name, read(`.github/${name}`).trim().split('\n').length <= 10]).toEqual([name, true]);
});

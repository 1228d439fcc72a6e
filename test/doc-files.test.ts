import {readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {readBlocks, readGuide} from './support/guide.ts';

const DOCS = fileURLToPath(new URL('../docs', import.meta.url));

/** All blocks of YAML in the pages, with the page of each. */
const FILES = readdirSync(DOCS, {recursive: true, encoding: 'utf8'})
  .filter(name => name.endsWith('.md'))
  .flatMap(page =>
    readBlocks(readFileSync(`${DOCS}/${page}`, 'utf8'))
      .filter(({language}) => language === 'yaml')
      .map(({text}) => ({page, text})),
  );

/** A mapping of YAML. */
type Mapping = Readonly<Record<string, unknown>>;

function blocksOf(name: string): readonly Mapping[] {
  const blocks = readGuide(name).filter(({language}) => language === 'yaml');
  return blocks.map(({text}) => parse(text, {strict: true, uniqueKeys: true}));
}

describe('the files of YAML in the docs', () => {
  test('exist', () => {
    expect(FILES.length).toBeGreaterThan(3);
  });

  for (const [index, {page, text}] of FILES.entries()) {
    test(`are YAML without a key that occurs twice: ${page}, ${index + 1}`, () => {
      const value = parse(text, {strict: true, uniqueKeys: true});
      expect(typeof value === 'object' && value !== null).toBe(true);
    });
  }

  test('of plugin-in-ci.md include a workflow of GitHub: each step runs a command or uses an action of a version', () => {
    const [workflow = {}] = blocksOf('plugin-in-ci.md');
    expect(Object.keys(workflow)).toEqual(['name', 'on', 'jobs']);
    expect(workflow['on']).toEqual(['push', 'pull_request']);
    const jobs = Object.values(workflow['jobs'] as Readonly<Record<string, Mapping>>);
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) {
      expect(job['runs-on']).toMatch(/^[a-z]+-latest$/);
      const steps = job['steps'] as readonly Mapping[];
      for (const {run, uses, with: inputs, ...others} of steps) {
        expect(others).toEqual({});
        expect(run ?? uses).toMatch(uses === undefined ? /^npm / : /^actions\/[a-z-]+@v\d+$/);
        expect(inputs).not.toEqual({});
      }
      expect(steps.filter(({run}) => run !== undefined).map(({run}) => run)).toEqual([
        'npm ci',
        'npm test',
        'npm run pack',
      ]);
    }
  });

  test('of plugin-in-ci.md include a job of GitLab with the same commands', () => {
    const [, file = {}] = blocksOf('plugin-in-ci.md');
    const {plugin} = file as {readonly plugin: Mapping};
    expect(Object.keys(plugin)).toEqual(['image', 'script', 'artifacts']);
    expect(plugin['image']).toMatch(/^node:\d+$/);
    expect((plugin['script'] as readonly string[]).slice(-3)).toEqual(['npm ci', 'npm test', 'npm run pack']);
    expect(plugin['artifacts']).toEqual({paths: ['*.zip']});
  });

  test('of containers.md name only services and volumes that they have', () => {
    const [compose = {}] = blocksOf('containers.md');
    const services = compose['services'] as Readonly<Record<string, Mapping>>;
    const volumes = Object.keys(compose['volumes'] as Mapping);
    for (const {network_mode: mode, volumes: used = [], image} of Object.values(services)) {
      expect(image).toMatch(/^node:\d+$/);
      expect([undefined, ...Object.keys(services).map(service => `service:${service}`)]).toContain(mode);
      // Those that begin with a dot are folders of the host.
      const named = (used as readonly string[]).filter(volume => !volume.startsWith('.'));
      for (const volume of named) expect(volumes).toContain(volume.split(':')[0]);
    }
  });
});

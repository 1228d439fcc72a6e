import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {flagOf, SETTING_NAMES, shownFlagOf} from '../src/config/config.ts';
import {ACCESS_OPERATIONS} from '../src/http/operations/access-operations.ts';
import {OPERATIONS} from '../src/http/operations/operations.ts';
import {PLUGIN_OPERATIONS} from '../src/http/operations/plugin-operations.ts';
import {METRICS} from '../src/metrics/metric-table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('docs/README.md', () => {
  const items = Array.from(read('docs/README.md').matchAll(/^- \[(.+?)\]\((.+?)\): .+$/gm));
  const pages = ['', 'guides/']
    .flatMap(folder => readdirSync(join(root, 'docs', folder)).map(name => folder + name))
    .filter(name => name.endsWith('.md') && name !== 'README.md');

  test('lists every page once, in the order in which they are read', () => {
    expect(items.map(([, , page]) => page).toSorted()).toEqual(pages.toSorted());
  });

  test('has one name for each page, its title, and no two pages have the same', () => {
    const titles = items.map(([, , page = '']) => /^# (.+)$/m.exec(read(`docs/${page}`))?.[1]);
    expect(items.map(([, title]) => title)).toEqual(titles);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('docs/http-api.md', () => {
  const text = read('docs/http-api.md');

  // Those for plugins and for the owner have pages of their own.
  const elsewhere = {...PLUGIN_OPERATIONS, ...ACCESS_OPERATIONS};
  const described = Object.entries(OPERATIONS).filter(([path]) => !Object.hasOwn(elsewhere, path));
  for (const [path, operations] of described) {
    for (const method of Object.keys(operations)) {
      test(`has ${method} ${path}`, () => {
        expect(text).toMatch(new RegExp(`^\\| ${method}(?:, HEAD)? \`${path.replace(/[{}]/g, '\\$&')}\` \\|`, 'm'));
      });
    }
  }
});

describe('docs/metrics.md', () => {
  test('lists every metric with its type, labels and meaning, in the order of the text', () => {
    const rows = read('docs/metrics.md').matchAll(/^\| `([a-z_]+)` \| ([a-z]+) \| (.*?) ?\| (.+) \|$/gm);
    const listed = Array.from(rows, ([, name, type, labels = '', help]) => ({
      name,
      type,
      labels: labels.split(', ').filter(label => label !== ''),
      help,
    }));
    const served = Object.entries(METRICS).map(([name, {type, labels, help}]) => ({
      name,
      type,
      labels: labels.map(label => `\`${label}\``),
      help,
    }));
    expect(listed).toEqual(served);
  });
});

describe('ARCHITECTURE.md', () => {
  const text = read('ARCHITECTURE.md');

  test('names only files that exist', () => {
    const named = Array.from(text.matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g), match => match[1] ?? '');
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(file => !existsSync(join(root, 'src', file)) && !existsSync(join(root, file)))).toEqual([]);
  });

  test('describes every folder of src/', () => {
    const folders = readdirSync(join(root, 'src'), {withFileTypes: true}).filter(entry => entry.isDirectory());
    expect(folders.filter(({name}) => !text.includes(`\n| \`${name}/\` |`)).map(({name}) => name)).toEqual([]);
  });
});

describe('the pages', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].concat(
    readdirSync(join(root, 'docs'), {recursive: true, encoding: 'utf8'})
      .filter(file => file.endsWith('.md'))
      .map(file => join('docs', file)),
  );

  for (const page of pages) {
    test(`${page} has no broken link`, () => {
      const targets = Array.from(read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g), match => match[1] ?? '');
      expect(targets.filter(target => !existsSync(join(root, dirname(page), target)))).toEqual([]);
    });

    test(`${page} links only to headings that exist`, () => {
      const links = Array.from(read(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g));
      const broken = links.filter(([, target = '', heading = '']) => {
        const file = target === '' ? page : join(dirname(page), target);
        return !headingsOf(read(file)).includes(heading);
      });
      expect(broken.map(([link]) => link)).toEqual([]);
    });
  }

  test('have at most 3,500 words each, the decisions apart, and 39,500 together', () => {
    const counts = pages
      .filter(page => page === 'README.md' || (page.startsWith('docs/') && !page.startsWith('docs/decisions/')))
      .map(page => ({page, words: read(page).split(/\s+/).length - 1}));
    expect(counts.filter(({words}) => words > PAGE_WORDS_MAX)).toEqual([]);
    expect(counts.reduce((sum, {words}) => sum + words, 0)).toBeLessThan(ALL_WORDS_MAX);
  });

  test('README.md begins with what it is, and one picture of modest size, with a text for those who do not see it', () => {
    const pictures = Array.from(read('README.md').matchAll(/!\[(.+)\]\((.+)\)/g));
    expect(pictures).toHaveLength(1);
    const [, text = '', picture = ''] =
      /^# Crewroom\n\n\*\*Crewroom\*\* is .+\n.+\n\n!\[(.+)\]\((.+\.png)\)\n/.exec(read('README.md')) ?? [];
    expect(text.length).toBeGreaterThan(20);
    expect(statSync(join(root, picture)).size).toBeLessThan(PICTURE_BYTES_MAX);
  });

  test('name only existing flags', () => {
    const flags = new Set([
      ...SETTING_NAMES.flatMap(name => [flagOf(name), shownFlagOf(name)]),
      ...COMMAND_FLAGS,
      ...CLONE_FLAGS,
      ...OTHER_FLAGS,
    ]);
    const named = pages.flatMap(page =>
      Array.from(read(page).matchAll(/(?<![\w-])--[a-z][a-z-]+/g), match => match[0]),
    );
    expect([...new Set(named)].filter(flag => !flags.has(flag))).toEqual([]);
  });

  test('docs/settings.md shows every setting', () => {
    const text = read('docs/settings.md');
    expect(SETTING_NAMES.filter(name => !text.includes(`\`${shownFlagOf(name)}`))).toEqual([]);
  });
});

/** Maximum words of a page, as `wc -w` counts them: what a reader takes in at one sitting, a quarter of an hour. */
const PAGE_WORDS_MAX = 3_500;

/** Maximum words of all pages without decisions: more is not read, and a fact that stands twice is wrong in one place. */
const ALL_WORDS_MAX = 39_500;

/** Returns the names by which links reach the headings of a page, as they are rendered. */
function headingsOf(text: string): readonly string[] {
  const headings = Array.from(text.matchAll(/^#{1,6} (.+)$/gm), match => match[1] ?? '');
  return headings.map(heading =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Maximum size of the picture in README.md, in bytes: every clone has each version of it. */
const PICTURE_BYTES_MAX = 150_000;

/** Flags that are not settings. */
const COMMAND_FLAGS = [
  '--no-snapshot',
  '--print',
  '--end',
  '--detached',
  '--back-end',
  '--force',
  '--lines',
  '--name',
  '--contact',
  '--permission',
  '--expires',
  '--ui',
  '--no-open',
  '--data',
  '--id',
  '--output',
  '--path',
  '--probability',
  '--from',
  '--plan',
  '--speed',
  '--help',
  '--config',
  '--deep',
  '--if-match',
  '--if-absent',
  '--json',
  '--new-store-id',
  '--quick',
  // Of etcd.
  '--max-request-bytes',
  '--listen-client-http-urls',
  '--auto-compaction-retention',
  '--quota-backend-bytes',
  '--max-txn-ops',
  '--unsafe-no-fsync',
  '--endpoints',
  '--initial-cluster',
  '--initial-cluster-token',
  '--initial-cluster-state',
  '--initial-advertise-peer-urls',
  '--values',
  '--yes',
  '--prefix',
  '--mode',
  '--dry-run',
  '--to',
  '--script-url',
  '--username',
  '--password-file',
  '--ttl',
  '--forever',
  '--since',
  '--requests',
  '--follow',
  '--refused',
  '--initial',
  '--pretty',
];

/** Flags of commands for a clone: bench, torture and fuzz. */
const CLONE_FLAGS = ['--faults', '--minutes', '--no-peers', '--only', '--rounds', '--seed'];

/** Flags of other programs. */
const OTHER_FLAGS = [
  // Of editors.
  '--wait',
  // Of tests in a clone.
  '--all',
  // Of the host of consoles of Windows.
  '--headless',
  '--global',
  '--init',
  '--max-txn-ops',
  '--network',
  '--retry',
  '--retry-connrefused',
  '--rm',
  '--test',
  '--user',
  '--volume',
  '--workdir',
];

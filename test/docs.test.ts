import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {openCrewroom} from '../src/app/open-crewroom.ts';
import {COMMAND_LIST} from '../src/cli/catalogue/commands.ts';
import {ACCESS_OPERATIONS} from '../src/http/operations/access-operations.ts';
import {OPERATIONS} from '../src/http/operations/operations.ts';
import {PLUGIN_OPERATIONS} from '../src/http/operations/plugin-operations.ts';
import {flagOf, SETTING_NAMES, settingFlagOf, shownFlagOf} from '../src/platform/config/config.ts';
import {METRICS} from '../src/service/metrics/collect.ts';

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
  const described = Object.keys(OPERATIONS).filter(name => !Object.hasOwn(elsewhere, name));
  test('has every operation that is described nowhere else', () => {
    const missing = described.filter(name => {
      const [method, path = ''] = name.split(' ');
      const row = new RegExp(`^\\| ${method}(?:, HEAD)? \`${path.replace(/[{}]/g, '\\$&')}\` \\|`, 'm');
      return !row.test(text);
    });
    expect(missing).toEqual([]);
  });
});

describe('docs/stability.md', () => {
  const text = read('docs/stability.md');
  const document = JSON.parse(read('dist/openapi.json')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, {readonly 'x-stability'?: string}>>>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).flatMap(({'x-stability': level}) => (level === undefined ? [] : [{path, level}])),
  );

  for (const level of ['stable', 'tooling', 'internal']) {
    test(`lists the paths whose operations are ${level}, as /openapi.json has them`, () => {
      const row = new RegExp(`^\\| \\x60${level}\\x60 \\|.*\\| (.*) \\|$`, 'm').exec(text)?.[1] ?? '';
      const served = operations.filter(each => each.level === level).map(({path}) => path);
      expect(Array.from(row.matchAll(/`([^`]+)`/g), ([, path]) => path)).toEqual([...new Set(served)]);
    });
  }

  test('knows the level of every operation', () => {
    expect(operations).toHaveLength(Object.keys(OPERATIONS).length);
  });

  test('lists the features of GET /api', async () => {
    await using crewroom = await openCrewroom({store: 'memory'});
    const answer = await crewroom.fetch(new Request('http://localhost:7172/api'));
    const {features} = (await answer.json()) as {readonly features: readonly string[]};
    expect(features).toEqual(Array.from(text.matchAll(/^- `([a-z-]+)`: /gm), ([, name]) => name));
  });
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

  test('lists every folder of src/, and those inside of the folders that have nothing else', () => {
    const [listing = ''] = text.split('\nBeside it:\n');
    const [, ...items] = listing.split(/^- (?=`)/m);
    const inner = Object.fromEntries(
      items.map(item => [
        /^`([a-z]+)\/`: /.exec(item)?.[1] ?? item,
        Array.from(item.matchAll(/^ {2}- `([a-z-]+)\/`: ./gm), ([, name = '']) => name),
      ]),
    );
    const foldersIn = (path: string): readonly string[] =>
      readdirSync(join(root, path), {withFileTypes: true}).flatMap(entry => (entry.isDirectory() ? [entry.name] : []));
    expect(Object.keys(inner).sort()).toEqual([...foldersIn('src')].sort());
    for (const name of ['core', 'platform', 'service', 'workbench'])
      expect(inner[name]?.toSorted()).toEqual([...foldersIn(`src/${name}`)].sort());
  });
});

describe('the pages', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].concat(
    readdirSync(join(root, 'docs'), {recursive: true, encoding: 'utf8'})
      .filter(file => file.endsWith('.md'))
      .map(file => join('docs', file)),
  );

  test('have no broken link', () => {
    for (const page of pages) {
      const targets = Array.from(read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g), match => match[1] ?? '');
      const broken = targets.filter(target => !existsSync(join(root, dirname(page), target)));
      expect(broken, page).toEqual([]);
    }
  });

  test('name what they link to, and not its file', () => {
    for (const page of pages.filter(name => name !== 'CONTRIBUTING.md'))
      expect(read(page), page).not.toMatch(/\[[\w-]+\.md\]\(/);
  });

  test('link only to headings that exist', () => {
    for (const page of pages) {
      const links = Array.from(read(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g));
      const broken = links.filter(([, target = '', heading = '']) => {
        const file = target === '' ? page : join(dirname(page), target);
        return !headingsOf(read(file)).includes(heading);
      });
      expect(
        broken.map(([link]) => link),
        page,
      ).toEqual([]);
    }
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
      ...SETTING_NAMES.flatMap(name => [settingFlagOf(name), shownFlagOf(name)]),
      ...COMMAND_LIST.flatMap(({flags}) => Object.keys(flags).map(flagOf)),
      ...['--help', '--config'],
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

/** Flags of commands for a clone: bench, torture and fuzz. */
const CLONE_FLAGS = ['--quick', '--faults', '--minutes', '--no-peers', '--only', '--rounds', '--seed'];

/** Flags of other programs. */
const OTHER_FLAGS = [
  // Of etcd.
  '--max-request-bytes',
  '--listen-client-http-urls',
  '--auto-compaction-retention',
  '--quota-backend-bytes',
  '--unsafe-no-fsync',
  '--endpoints',
  '--initial-cluster',
  '--initial-cluster-token',
  '--initial-cluster-state',
  '--initial-advertise-peer-urls',
  // Of editors.
  '--wait',
  // Of tests in a clone.
  '--all',
  '--etcd',
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

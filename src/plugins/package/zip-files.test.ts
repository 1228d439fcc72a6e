import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {appendFile, mkdir, readdir, readFile, stat, symlink, truncate, writeFile} from 'node:fs/promises';
import {join, sep} from 'node:path';
import {describe, test} from 'vitest';
import {makeHome, unpackAll, unpackZip} from '../../../test/support/package.ts';
import {IS_WINDOWS, shownMode} from '../../../test/support/platform.ts';
import {manifestOf} from '../../../test/support/plugin-folder.ts';
import {type ZipEntry, zipOf} from '../../../test/support/zip.ts';
import {PLUGIN_ID_FORM} from '../../core/domain/plugins/plugin-id.ts';
import {openPackage, unpack} from './plugin-package.ts';

const ID = 'com.example.a';
const MANIFEST: ZipEntry = {name: 'plugin.json', content: manifestOf(ID)};
const PAGE: ZipEntry = {name: 'ui/index.html', content: '<!doctype html>'};

async function listFiles(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, {recursive: true})).map(file => file.replaceAll(sep, '/')).sort();
}

describe('an archive', () => {
  test('is unpacked with its content, for its user only, and with programs', async () => {
    const background = {name: 'background/index.js', content: 'exports.a = 1;'.repeat(1000)};
    const program = {name: 'background/bin/run', content: '#!/bin/sh', mode: 0o104777};
    const {failure, folder} = await unpackZip(zipOf([{name: 'background/'}, background, program, MANIFEST, PAGE]));
    assert.equal(failure, undefined);
    assert.equal(await readFile(join(folder, background.name), 'utf8'), background.content);
    const modes = ['', 'background', 'background/index.js', 'background/bin/run'].map(
      async name => (await stat(join(folder, name))).mode & 0o7777,
    );
    assert.deepEqual(await Promise.all(modes), [0o700, 0o700, 0o600, 0o700].map(shownMode));
    assert.deepEqual(await listFiles(folder), [
      'background',
      'background/bin',
      'background/bin/run',
      'background/index.js',
      'plugin.json',
      'ui',
      'ui/index.html',
    ]);
  });

  for (const name of [ID, 'smart-plugin-main', 'plugin-1.0.2'])
    test(`may have the plugin in one folder, such as ${name}`, async () => {
      const entries = [MANIFEST, PAGE, {name: ''}].map(entry => ({...entry, name: `${name}/${entry.name}`}));
      const macos = {name: '__MACOSX/._x', content: 'x'};
      const {failure, folder} = await unpackZip(zipOf([...entries, {name: '__MACOSX/'}, macos]));
      assert.equal(failure, undefined);
      assert.deepEqual(await listFiles(folder), ['plugin.json', 'ui', 'ui/index.html']);
    });

  const spellings = [
    {what: 'backslashes, as Compress-Archive writes them', prefix: '', separator: '\\'},
    {what: 'backslashes and a folder around them', prefix: 'plugin\\', separator: '\\'},
    {what: 'a dot before names', prefix: './', separator: '/'},
    {what: 'a dot and backslashes', prefix: '.\\', separator: '\\'},
  ];
  for (const {what, prefix, separator} of spellings)
    test(`may have ${what}`, async () => {
      const names = ['', 'plugin.json', `ui${separator}`, `ui${separator}index.html`].map(name => prefix + name);
      const entries = names
        .filter(name => name !== '')
        .map(name => ({name, content: name.endsWith('json') ? manifestOf(ID) : '', mode: 0}));
      const {failure, folder} = await unpackZip(zipOf(entries));
      assert.equal(failure, undefined);
      assert.deepEqual(await listFiles(folder), ['plugin.json', 'ui', 'ui/index.html']);
    });

  test('may be stored without compression, and by a program of DOS', async () => {
    const plain = [MANIFEST, PAGE].map(entry => ({...entry, method: 0, mode: 0, flags: 0}));
    assert.equal((await unpackZip(zipOf(plain))).failure, undefined);
  });

  test.skipIf(IS_WINDOWS)('is one that a common program makes', async () => {
    const home = await makeHome();
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED); z.write(sys.argv[2], "plugin.json"); z.writestr("ui/index.html", "<p>")';
    await writeFile(join(home, 'plugin.json'), manifestOf(ID));
    execFileSync('python3', ['-c', script, join(home, 'a.zip'), join(home, 'plugin.json')]);
    assert.equal(await unpackAll(join(home, 'a.zip'), join(home, ID)), undefined);
  });

  const name = (given: string | Uint8Array): readonly ZipEntry[] => [MANIFEST, PAGE, {name: given, content: 'x'}];
  const wide = 0xffffffff;
  const zip64 = Buffer.alloc(20);
  zip64.writeUInt16LE(1, 0);
  zip64.writeUInt16LE(16, 2);
  zip64.writeBigUInt64LE(2n ** 60n, 4);
  const refused: readonly {
    readonly what: string;
    readonly entries: readonly ZipEntry[];
    readonly problem: RegExp | string;
  }[] = [
    {what: 'a path out of the folder', entries: name('../x'), problem: '"../x" leads out of the folder'},
    {
      what: 'a path out of the folder within it',
      entries: name('ui/../../x'),
      problem: '"ui/../../x" leads out of the folder',
    },
    {what: 'an absolute path', entries: name('/etc/x'), problem: '"/etc/x" is an absolute path'},
    {what: 'a drive', entries: name('C:x'), problem: '"C:x" has a : in its name, which Windows does not allow'},
    {
      what: 'the name of a device',
      entries: name('ui/nul.js'),
      problem: '"ui/nul.js" has the name of a device of Windows',
    },
    {
      what: 'a folder with the name of a device',
      entries: name('ui/COM1/x'),
      problem: '"ui/COM1/x" has the name of a device of Windows',
    },
    {
      what: 'a question mark',
      entries: name('ui/a?.js'),
      problem: '"ui/a?.js" has a ? in its name, which Windows does not allow',
    },
    {what: 'backslashes out of the folder', entries: name('..\\x'), problem: '"../x" leads out of the folder'},
    {
      what: 'backslashes and slashes out of the folder',
      entries: name('ui\\../..\\x'),
      problem: '"ui/../../x" leads out of the folder',
    },
    {what: 'a dot and a path out of the folder', entries: name('.\\..\\x'), problem: '"../x" leads out of the folder'},
    {what: 'an absolute path after a dot', entries: name('.//etc/x'), problem: '"/etc/x" is an absolute path'},
    {what: 'a path of a network', entries: name('\\\\host\\x'), problem: '"//host/x" is an absolute path'},
    {
      what: 'a name twice, with both kinds of slashes',
      entries: name('ui\\index.html'),
      problem: '"ui/index.html" occurs twice',
    },
    {
      what: 'a control character',
      entries: name('ui/a\u001b[31m'),
      problem: '"ui/a\\u001b[31m" has a control character in its name',
    },
    {
      what: 'a change of direction',
      entries: name('ui/a\u202egpj.exe'),
      problem: /has a control character in its name$/,
    },
    {what: 'a null byte', entries: name('ui/a\0b'), problem: /has a control character in its name$/},
    {
      what: 'a name that is not UTF-8',
      entries: name(Buffer.from([0x61, 0xff])),
      problem: /has a control character in its name$/,
    },
    {what: 'an empty name', entries: name('ui//x'), problem: '"ui//x" has an empty name in its path'},
    {what: 'a name of a dot', entries: name('ui/./x'), problem: '"ui/./x" has an empty name in its path'},
    {
      what: 'a name that Windows changes',
      entries: name('ui/x.'),
      problem: '"ui/x." has a dot or a space at the end of a name',
    },
    {what: 'a name of 256 bytes', entries: name('x'.repeat(256)), problem: /has a name of more than 255 bytes$/},
    {
      what: 'a path of 513 bytes',
      entries: name(`${'x'.repeat(170)}/`.repeat(3).concat('x')),
      problem: /has a path of more than 512 bytes$/,
    },
    {
      what: '33 nested folders',
      entries: name(`${'x/'.repeat(32)}x`),
      problem: /is in more than 32 nested folders$/,
    },
    {what: 'a name twice', entries: name('ui/index.html'), problem: '"ui/index.html" occurs twice'},
    {
      what: 'names that differ in case',
      entries: name('ui/INDEX.html'),
      problem: '"ui/INDEX.html" has a name that differs only in case from "ui/index.html"',
    },
    {
      what: 'folders that differ in case',
      entries: name('UI/x'),
      problem: '"UI/x" has a name that differs only in case from "ui"',
    },
    {
      what: 'names that differ in normalisation',
      entries: [...name('é'), {name: 'e\u0301'}],
      problem: /differs only in case/,
    },
    {
      what: 'a file that is a folder too',
      entries: name('ui/index.html/x'),
      problem: '"ui/index.html/x" is a file and a folder at once',
    },
    {what: 'a folder that is a file too', entries: name('ui'), problem: '"ui" is a file and a folder at once'},
    {what: 'a link', entries: [MANIFEST, {...PAGE, mode: 0o120777}], problem: '"ui/index.html" is a link'},
    {
      what: 'a device',
      entries: [MANIFEST, {...PAGE, mode: 0o020666}],
      problem: '"ui/index.html" is neither a file nor a folder',
    },
    {
      what: 'a pipe',
      entries: [MANIFEST, {...PAGE, mode: 0o010666}],
      problem: '"ui/index.html" is neither a file nor a folder',
    },
    {
      what: 'a folder by its mode only',
      entries: [MANIFEST, {...PAGE, mode: 0o040755}],
      problem: '"ui/index.html" is neither a file nor a folder',
    },
    {
      what: 'a folder with content',
      entries: [MANIFEST, {name: 'ui/', content: 'x'}],
      problem: '"ui" is a folder with content',
    },
    {what: 'an encrypted file', entries: [MANIFEST, {...PAGE, flags: 0x801}], problem: '"ui/index.html" is encrypted'},
    {
      what: 'another compression',
      entries: [MANIFEST, {...PAGE, method: 12}],
      problem: '"ui/index.html" is compressed by method 12; only deflate is supported',
    },
    {
      what: 'a checksum that does not hold',
      entries: [MANIFEST, {...PAGE, crc: 1}],
      problem: '"ui/index.html" does not have its checksum',
    },
    {
      what: 'less content than it claims',
      entries: [MANIFEST, {...PAGE, claimedBytes: 16}],
      problem: /^"ui\/index.html" cannot be inflated: not enough bytes/,
    },
    {
      what: 'more content than it claims',
      entries: [MANIFEST, {...PAGE, claimedBytes: 14}],
      problem: /^"ui\/index.html" cannot be inflated: too many bytes/,
    },
    {
      what: 'another size without compression',
      entries: [MANIFEST, {...PAGE, method: 0, claimedBytes: 14}],
      problem: /^its directory is damaged: compressed\/uncompressed size mismatch/,
    },
    {
      what: 'a size of 64 bits',
      entries: [MANIFEST, {...PAGE, claimedBytes: wide, extra: zip64}],
      problem: 'its files have more than 256.0 MiB',
    },
    {
      what: 'a size of 64 bits that is missing',
      entries: [MANIFEST, {...PAGE, claimedBytes: wide}],
      problem: /^its (?:directory is damaged: expected zip64|files have more than)/,
    },
    {
      what: 'a file of 256 MiB',
      entries: [MANIFEST, {...PAGE, claimedBytes: 256 * 1024 * 1024}],
      problem: 'its files have more than 256.0 MiB',
    },
    {
      what: 'files that shrink a thousandfold',
      entries: [MANIFEST, {...PAGE, content: Buffer.alloc(1024 * 1024)}],
      problem: 'its files are more than 100 times as large as the archive',
    },
    {
      what: 'files that share their content',
      entries: [
        {name: 'x', content: Buffer.alloc(4096, 'ab'), method: 0},
        ...['a', 'b'].map(each => ({name: each, content: Buffer.alloc(4096, 'ab'), method: 0, isShared: true})),
      ],
      problem: 'its entries overlap',
    },
    {
      what: '20,001 files',
      entries: Array.from({length: 20_001}, (_, at) => ({name: `ui/${at}`})),
      problem: 'it has more than 20000 files and folders',
    },
    {what: 'no manifest', entries: [PAGE], problem: 'it has no plugin.json, neither at its root nor in a folder there'},
    {
      what: 'a manifest too deep',
      entries: [{...MANIFEST, name: `a/b/plugin.json`}],
      problem: 'it has no plugin.json, neither at its root nor in a folder there',
    },
    {
      what: 'two manifests',
      entries: [MANIFEST, PAGE, {...MANIFEST, name: 'b/plugin.json'}],
      problem: 'it has more than one plugin: "plugin.json", "b/plugin.json"',
    },
    {
      what: 'two plugins',
      entries: ['a', 'b'].map(folder => ({...MANIFEST, name: `${folder}/plugin.json`})),
      problem: 'it has more than one plugin: "a/plugin.json", "b/plugin.json"',
    },
    {
      what: 'files beside its folder',
      entries: [{...MANIFEST, name: `${ID}/plugin.json`}, PAGE],
      problem: '"ui/index.html"',
    },
    {
      what: 'a manifest of 300 KB',
      entries: [{name: 'plugin.json', content: Buffer.alloc(300_000).map((_, at) => at * at), method: 0}],
      problem: 'its plugin.json is larger than 262144 bytes',
    },
  ];
  for (const {what, entries, problem} of refused) {
    test(`is refused with ${what}`, async () => {
      const {failure} = await unpackZip(zipOf(entries));
      assert.equal(failure?.code, 'invalid-package');
      assert.equal(failure.source, '"a.zip"');
      const isNamed = problem instanceof RegExp ? problem.test(failure.problem) : failure.problem.includes(problem);
      assert.ok(isNamed, failure.problem);
    });
  }

  test('is refused by the number that it claims, before its directory is read', async () => {
    const {failure} = await unpackZip(zipOf([MANIFEST], {entryCount: 20_001}));
    assert.equal(failure?.code === 'invalid-package' && failure.problem, 'it has more than 20000 files and folders');
  });

  const damaged = [
    {what: 'nothing', archive: Buffer.alloc(0)},
    {what: 'another file', archive: Buffer.from('<html>'.repeat(100))},
    {what: 'an archive without its end', archive: zipOf([MANIFEST, PAGE]).subarray(0, -30)},
    {what: 'an archive without its beginning', archive: zipOf([MANIFEST, PAGE]).subarray(40)},
  ];
  for (const {what, archive} of damaged) {
    test(`is refused if it is ${what}`, async () => {
      const {failure} = await unpackZip(archive);
      assert.equal(failure?.code, 'invalid-package');
      assert.match(failure.problem, /^(?:it is not a ZIP archive: |its directory is damaged: )/);
    });
  }

  test('is refused if it is too large', async () => {
    const home = await makeHome();
    const file = join(home, 'a.zip');
    await writeFile(file, '');
    // A hole, which takes no space.
    await truncate(file, 256 * 1024 * 1024);
    await appendFile(file, zipOf([]));
    const failure = await unpackAll(file, join(home, ID));
    assert.deepEqual(failure, {code: 'invalid-package', source: '"a.zip"', problem: 'it is larger than 256.0 MiB'});
  });

  test('is refused with all problems of its manifest', async () => {
    const {failure} = await unpackZip(zipOf([{name: 'plugin.json', content: manifestOf('store', {name: 1})}, PAGE]));
    assert.deepEqual(failure, {
      code: 'invalid-plugin',
      plugin: 'a.zip',
      problems: [
        {path: '$.id', problem: `has to be ${PLUGIN_ID_FORM}`},
        {path: '$.name', problem: 'has to be a string that is not empty'},
      ],
    });
  });

  test.skipIf(IS_WINDOWS)('is refused if it is a pipe, without waiting for its writer', async () => {
    const home = await makeHome();
    execFileSync('mkfifo', [join(home, 'a.zip')]);
    const failure = await unpackAll(join(home, 'a.zip'), join(home, ID));
    assert.deepEqual(failure, {
      code: 'invalid-package',
      source: '"a.zip"',
      problem: 'it is not a ZIP archive: it is not a file',
    });
  });

  test('is named if it is missing', async () => {
    const home = await makeHome();
    assert.deepEqual(await unpackAll(join(home, 'b.zip'), join(home, ID)), {
      code: 'unreadable-input',
      source: '"a.zip"',
      problem: 'it does not exist',
      missing: true,
    });
  });

  test.skipIf(IS_WINDOWS)('is not unpacked over existing files', async () => {
    const home = await makeHome();
    await writeFile(join(home, 'a.zip'), zipOf([MANIFEST, PAGE]));
    await mkdir(join(home, 'out'));
    await symlink(join(home, 'target'), join(home, 'out', 'plugin.json'));
    await assert.rejects(unpackAll(join(home, 'a.zip'), join(home, 'out')), {code: 'EEXIST'});
    assert.deepEqual((await readdir(home)).sort(), ['a.zip', 'out']);
  });

  test('is not unpacked any further after an abort', async () => {
    const home = await makeHome();
    await writeFile(join(home, 'a.zip'), zipOf([MANIFEST, PAGE]));
    await using opened = await openPackage(join(home, 'a.zip'), 'a.zip');
    const reason = new Error('enough');
    await assert.rejects(unpack(opened.files, join(home, 'out'), AbortSignal.abort(reason)), reason);
    assert.deepEqual(await readdir(join(home, 'out')), []);
  });
});

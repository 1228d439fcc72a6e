import {mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, inject, onTestFinished, test} from 'vitest';
import {unpackNode} from '../../release/folder.ts';
import {SYSTEMS} from '../../release/systems.ts';
import {VERSION} from '../../src/core/version.ts';
import {execute} from './files.ts';

/** Ends of the names of files that users download, or npm. */
const ENDS = [
  ...[
    '.tgz',
    '-darwin-arm64.tar.xz',
    '-darwin-x64.tar.xz',
    '-linux-arm64.deb',
    '-linux-arm64.tar.xz',
    '-linux-x64.deb',
  ],
  ...['-linux-x64.tar.xz', '-win32-x64.exe', '-win32-x64.zip'],
];
const SDKS = ['background-sdk', 'client', 'ui-sdk'];

test('a release has the packages of npm and what users of each system download, each with its checksum', async () => {
  const names = [
    ...ENDS.map(end => `crewroom-${VERSION}${end}`),
    ...SDKS.map(name => `crewroom-${name}-${VERSION}.tgz`),
  ];
  const checksums = names.map(name => `${name}.sha256`);
  expect((await readdir(inject('release'))).sort()).toEqual(['SHA256SUMS', ...names, ...checksums].sort());
  await execute('sha256sum', ['--check', '--quiet', ...checksums], {cwd: inject('release')});
  const {stdout} = await execute('sha256sum', ['--check', 'SHA256SUMS'], {cwd: inject('release')});
  expect(stdout.trim().split('\n')).toHaveLength(names.length);
});

test('a Node that is not the one of the table gets into no folder', async () => {
  const work = await mkdtemp(join(tmpdir(), 'crewroom-other-node-'));
  onTestFinished(() => rm(work, {recursive: true, force: true}));
  const [system, other] = SYSTEMS;
  if (system === undefined || other === undefined) throw new Error('there are fewer systems');
  const altered = unpackNode({...system, integrity: other.integrity}, work);
  await expect(altered).rejects.toThrow(`has the checksum ${system.integrity}, not ${other.integrity}`);
});

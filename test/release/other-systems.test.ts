import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {NODE_VERSION, SYSTEMS} from '../../release/systems.ts';
import {execute, nativeParts, unpackFolder, withoutLicence} from './files.ts';

let work: string;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'crewroom-unpacked-'));
});
afterAll(() => rm(work, {recursive: true, force: true}));

/** Magic number of a 64-bit Mach-O file, and the number of the command that says where its signature is (`mach-o/loader.h`). */
const MACH_O = 0xfeedfacf;
const LC_CODE_SIGNATURE = 0x1d;

/** Types of processors in Mach-O files (`mach/machine.h`). */
const PROCESSORS = {x64: 0x1000007, arm64: 0x100000c} as const;

/** Native parts that their makers did not sign: only kernels of Apple for ARM demand it. */
const UNSIGNED: Readonly<Record<string, readonly string[]>> = {
  'darwin-x64': ['node_modules/@lmdb/lmdb-darwin-x64/node.napi.node'],
};

/** Returns the size of the signature in a program of macOS, in bytes; 0 without one. */
function signatureBytes(program: Buffer): number {
  expect(program.readUInt32LE(0)).toBe(MACH_O);
  const commands = program.readUInt32LE(16);
  for (let index = 0, at = 32; index < commands; index++, at += program.readUInt32LE(at + 4))
    if (program.readUInt32LE(at) === LC_CODE_SIGNATURE) return program.readUInt32LE(at + 12);
  return 0;
}

describe('a folder for a system that these tests cannot run', () => {
  for (const {name, cpu, nodePackage} of SYSTEMS.filter(({os}) => os === 'darwin'))
    test(`has the Node of npm, signed native parts for its processor alone, and licences, for ${name} (unpacked, not run)`, async () => {
      const folder = await unpackFolder(name, work);
      const parts = await nativeParts(folder);
      expect(parts.length).toBe(3);
      const unsigned: string[] = [];
      for (const part of parts) {
        const program = await readFile(part);
        if (signatureBytes(program) === 0) unsigned.push(part.slice(folder.length + 1));
        expect(program.readUInt32LE(4), part).toBe(PROCESSORS[cpu]);
      }
      expect(unsigned).toEqual(UNSIGNED[name] ?? []);
      await execute('npm', ['pack', '--silent', `${nodePackage}@${NODE_VERSION}`, '--pack-destination', work]);
      await execute('tar', ['-xzf', `${nodePackage}-${NODE_VERSION}.tgz`, 'package/bin/node'], {cwd: work});
      const original = await readFile(join(work, 'package', 'bin', 'node'));
      expect(original.equals(await readFile(join(folder, 'node')))).toBe(true);
      expect(await withoutLicence(folder)).toEqual([]);
      expect((await readdir(folder)).sort()).toEqual([
        ...['CHANGELOG.md', 'LICENSE', 'LICENSE-NODE', 'README.md', 'crewroom', 'node', 'node_modules'],
      ]);
    });

  test('has native parts for its processor alone, and licences, for linux-arm64 (unpacked, not run)', async () => {
    const folder = await unpackFolder('linux-arm64', work);
    expect(await withoutLicence(folder)).toEqual([]);
    const parts = await nativeParts(folder);
    expect(parts.length).toBe(3);
    // e_machine of an ELF file: AArch64 is 183.
    for (const part of parts) expect((await readFile(part)).readUInt16LE(18), part).toBe(183);
  });
});

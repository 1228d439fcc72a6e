import {cp, mkdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {OWN_MARK} from '../src/cli/autostart/autostart.ts';
import {formatUnit, UNIT_NAME} from '../src/cli/autostart/systemd.ts';
import {MODIFIED_SECONDS} from './archive.ts';
import {run} from './run.ts';
import type {System} from './systems.ts';

/** Place of the folder in a system. */
const PLACE = '/usr/lib/crewroom';

/**
 * Makes a package of Debian of a folder. Nothing is started, and nothing in a home is touched: its only script names services that still run when it is
 * removed. The user enables the unit with `systemctl --user enable --now crewroom`.
 */
export async function writeDeb(
  system: System,
  {
    folder,
    work,
    version,
    sizeBytes,
    level,
    to,
  }: {
    readonly folder: string;
    readonly work: string;
    readonly version: string;
    readonly sizeBytes: number;
    readonly level: number;
    readonly to: string;
  },
): Promise<void> {
  const root = join(work, `deb-${system.name}`);
  for (const path of [
    'DEBIAN',
    'usr/bin',
    'usr/lib/systemd/user',
    'usr/share/doc/crewroom',
    'usr/share/lintian/overrides',
  ])
    await mkdir(join(root, path), {recursive: true});
  await cp(folder, join(root, PLACE), {recursive: true});
  await symlink('../lib/crewroom/crewroom', join(root, 'usr/bin/crewroom'));
  const unit = formatUnit({node: `${PLACE}/node`, script: `${PLACE}/node_modules/crewroom/dist/cli/main.js`});
  await writeFile(join(root, 'usr/lib/systemd/user', UNIT_NAME), unit.replace(`# ${OWN_MARK}\n`, ''));
  for (const [from, name] of [
    ['LICENSE', 'copyright'],
    ['LICENSE-NODE', 'copyright-node'],
  ] as const)
    await cp(join(folder, from), join(root, 'usr/share/doc/crewroom', name));
  await writeFile(
    join(root, 'usr/share/doc/crewroom/changelog.gz'),
    gzipSync(await readFile(join(folder, 'CHANGELOG.md'))),
  );
  await writeFile(join(root, 'usr/share/lintian/overrides/crewroom'), OVERRIDES);
  await writeFile(join(root, 'DEBIAN/control'), control(system, {version, sizeBytes}));
  await writeFile(join(root, 'DEBIAN/prerm'), BEFORE_REMOVAL, {mode: 0o755});
  await run('find', [root, '-name', '.npmignore', '-delete'], work);
  await run('find', [root, '-exec', 'touch', '--no-dereference', `--date=@${MODIFIED_SECONDS}`, '{}', '+'], work);
  await run('chmod', ['-R', 'u+rwX,go+rX,go-w', root], work);
  await run('find', [root, '-name', '*.node', '-exec', 'chmod', '644', '{}', '+'], work);
  await run('dpkg-deb', ['--root-owner-group', '-Zxz', `-z${level}`, '--build', root, to], work);
}

/** Script that names services of this package which go on without its files. */
const BEFORE_REMOVAL = `#!/bin/sh
set -e
if [ "$1" = remove ]; then
  for process in /proc/[0-9]*; do
    program=$(readlink "$process/exe" || true)
    # An upgrade since has replaced the program of a process.
    [ "\${program% (deleted)}" = ${PLACE}/node ] || continue
    id=\${process#/proc/}
    echo "crewroom: process $id of user $(stat -c %U "$process") still runs: end it with \\"kill $id\\""
  done 2>/dev/null
fi
`;

/** Errors of lintian that stay, with their reasons. */
const OVERRIDES = `# No address receives mail for the authors.
crewroom: bogus-mail-host *
# The package brings a Node of its own, as its makers built it, and the engine of the store.
crewroom: embedded-library *
crewroom: missing-dep-for-interpreter *
crewroom: unstripped-binary-or-object *
`;

/**
 * Formats the description of the package. What Node needs: its instructions for building name glibc 2.28. apt compares the size with the free space of
 * the disk.
 */
function control({cpu}: System, {version, sizeBytes}: {readonly version: string; readonly sizeBytes: number}): string {
  return `Package: crewroom
Version: ${version}
Architecture: ${cpu === 'x64' ? 'amd64' : cpu}
Installed-Size: ${Math.ceil(sizeBytes / 1024)}
Maintainer: The Crewroom authors <crewroom@localhost>
Depends: libc6 (>= 2.28), libstdc++6, libgcc-s1
Section: net
Priority: optional
Description: local service of virtual-airline plugins
 Tells plugins who the pilot is, and keeps their data. It has a Node of its own.
`;
}

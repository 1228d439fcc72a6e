#!/usr/bin/env node
// Lists the packages of an installation and those in its bundles with their licences, by the lock file, and fails if a licence is unknown or not permissive.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {BUNDLED_PACKAGES} from './bundled-packages.js';

/** Licences that ask for their text to be kept, and for nothing else (SPDX). */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const {packages} = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const bundled = collectBundled();
const installed = Object.entries(packages)
  // Without packages for developers, unless the build bundles them, and without links to the packages of this repository.
  .filter(
    ([path, {dev, link}]) => path.includes('node_modules/') && (dev !== true || bundled.has(path)) && link !== true,
  )
  .map(([path, {version, license}]) => {
    const name = path.replace(/^.*node_modules\//, '');
    return {name, version, license: license ?? licenceOfOwner(name) ?? 'unknown'};
  })
  .sort((one, other) => (one.name < other.name ? -1 : 1));
for (const {name, version, license} of installed) process.stdout.write(`${license.padEnd(14)} ${name} ${version}\n`);
const others = installed.filter(({license}) => !isPermissive(license));
for (const {name, license} of others) process.stderr.write(`not permissive, or unknown: ${name} (${license})\n`);
if (others.length > 0) process.exitCode = 1;

/** Returns the places of the packages that are bundled, with all packages that those need. */
function collectBundled() {
  const places = new Set();
  const waiting = BUNDLED_PACKAGES.map(name => ({name, from: ''}));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const place = findPlace(next.name, next.from);
    if (place === undefined || places.has(place)) continue;
    places.add(place);
    for (const name of Object.keys(packages[place].dependencies ?? {})) waiting.push({name, from: place});
  }
  return places;
}

/** Returns the place at which a package finds another one: nearest first, as Node looks. */
function findPlace(name, from) {
  const folders =
    from === ''
      ? []
      : from.split('/node_modules/').map((_, index, all) => all.slice(0, all.length - index).join('/node_modules/'));
  return [...folders.map(folder => `${folder}/node_modules/${name}`), `node_modules/${name}`].find(
    each => packages[each] !== undefined,
  );
}

/** Returns the licence of the package that has another one as its binary for one system: such binaries often name none. */
function licenceOfOwner(name) {
  return Object.values(packages).find(({optionalDependencies = {}}) => Object.hasOwn(optionalDependencies, name))
    ?.license;
}

/** Returns whether one of the licences of an expression such as `(MIT OR GPL-2.0)` is permissive, or all if they apply together. */
function isPermissive(expression) {
  const alternatives = expression.replace(/[()]/g, '').split(' OR ');
  return alternatives.some(each => each.split(' AND ').every(license => PERMISSIVE.includes(license)));
}

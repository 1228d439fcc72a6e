// Builds a folder from sources, unless it is the result of the same sources already. Plain JavaScript, since it runs on every
// supported Node before anything is built.
import {createHash} from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join, relative} from 'node:path';

/** The file that names the sources of a built folder, and the built files as they were. */
const RECORD = '.built';

/**
 * Builds a folder, if its sources or its files have changed since the last time. Files that are in use are replaced one by one.
 *
 * @param {string} folder Path of the folder.
 * @param {readonly string[]} sources Files and folders that the build reads, without the packages that it uses.
 * @param {(built: string) => boolean | Promise<boolean>} build Writes the files into an empty folder, and returns whether it succeeded.
 * @returns {Promise<boolean>} Whether the folder is built.
 */
export async function buildFolder(folder, sources, build) {
  const hash = hashFiles(sources, folder);
  const record = join(folder, RECORD);
  if (existsSync(record) && readFileSync(record, 'utf8') === describeBuild(hash, folder)) return true;
  // Beside the folder, on the same file system: a service may be running from it and load further files at any moment.
  const built = mkdtempSync(join(dirname(folder), '.dist-'));
  try {
    if (!(await build(built))) return false;
    rmSync(record, {force: true});
    replaceFiles(folder, built);
    writeFileSync(record, describeBuild(hash, folder));
    return true;
  } finally {
    rmSync(built, {recursive: true, force: true});
  }
}

/** Hashes sources with their names, as they are seen from the folder. */
function hashFiles(sources, folder) {
  const hash = createHash('sha256');
  for (const source of sources) {
    const files = statSync(source).isDirectory() ? listFiles(source).map(name => join(source, name)) : [source];
    for (const file of files)
      if (!file.endsWith('.test.ts'))
        hash.update(relative(folder, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Describes a folder as a build of the sources left it: a file that was changed, added or removed later makes a difference. */
function describeBuild(hash, folder) {
  const files = listFiles(folder).map(name => {
    const {size, mtimeMs} = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}\n`;
  });
  return `${hash}\n${files.join('')}`;
}

/** Lists the files below a folder, without the record. */
function listFiles(folder) {
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(name => name !== RECORD)
    .sort();
}

/**
 * Replaces each file of a folder by the one that was built, atomically, and only then removes those that are no longer built.
 */
function replaceFiles(folder, built) {
  const names = new Set();
  for (const entry of readdirSync(built, {recursive: true, withFileTypes: true})) {
    const name = join(entry.parentPath, entry.name).slice(built.length + 1);
    names.add(name);
    if (entry.isDirectory()) continue;
    mkdirSync(dirname(join(folder, name)), {recursive: true});
    renameSync(join(built, name), join(folder, name));
  }
  for (const name of readdirSync(folder, {recursive: true, encoding: 'utf8'}))
    if (!names.has(name)) rmSync(join(folder, name), {recursive: true, force: true});
}

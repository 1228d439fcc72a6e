// The rules of a release, apart from what reads and changes the repository.

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/**
 * Lists everything that keeps a version from being released.
 *
 * @param {string} version The new version.
 * @param {object} facts What is in the repository.
 * @param {string} facts.current The version of `package.json`.
 * @param {string} facts.changelog Text of `CHANGELOG.md`.
 * @param {string} facts.branch Name of the branch.
 * @param {readonly string[]} facts.changedFiles Files that are not committed.
 * @param {readonly string[]} facts.tags Names of all tags.
 * @param {readonly string[]} facts.removedFromApi Lines of the snapshot of the public interface that the last release had.
 * @param {number} facts.dataFormat Number of the data format.
 * @param {readonly number[]} facts.keptFormats Data formats that have a fixture.
 * @returns {readonly string[]} One sentence for each obstacle; empty if there is none.
 */
export function findObstacles(version, facts) {
  const {changelog, branch, changedFiles, tags, dataFormat, keptFormats} = facts;
  const obstacles = [...findVersionObstacles(version, facts)];
  if (branch !== 'main') obstacles.push(`releases are made on the branch main, and this is "${branch}"`);
  if (changedFiles.length > 0) obstacles.push(`${changedFiles.length} files are not committed`);
  if (tags.includes(`v${version}`)) obstacles.push(`the tag v${version} exists already`);
  if (readUnreleased(changelog) === '') obstacles.push('CHANGELOG.md has nothing below "Unreleased"');
  if (!keptFormats.includes(dataFormat))
    obstacles.push(`the data format ${dataFormat} has no fixture: "npm run keep-data" makes it`);
  return obstacles;
}

/** Compares versions by the rules of Semantic Versioning: before 1.0 a change that breaks programs needs a new minor version. */
function findVersionObstacles(version, {current, removedFromApi}) {
  const [next, last] = [version, current].map(each => VERSION.exec(each)?.slice(1).map(Number));
  if (next === undefined) return [`"${version}" is not a version such as 1.2.3`];
  const place = next.findIndex((number, index) => number !== last[index]);
  // The first release has the version that package.json has from the beginning.
  const isHigher = place === -1 ? true : next[place] > last[place];
  if (!isHigher) return [`${version} is lower than ${current}`];
  const breakingPlace = last[0] === 0 ? 1 : 0;
  if (removedFromApi.length === 0 || (place !== -1 && place <= breakingPlace)) return [];
  return [`the public interface has lost ${removedFromApi.length} lines, which ${version} may not do`];
}

/** Returns the section of changes that were not released yet, without its heading. */
function readUnreleased(changelog) {
  return (/^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog)?.[1] ?? '').trim();
}

/**
 * Gives the changes that were not released yet their version.
 *
 * @param {string} changelog Text of `CHANGELOG.md`.
 * @param {string} version The version.
 * @param {string} date The day, such as `2026-01-31`.
 * @returns {string} The new text, with an empty section for what comes.
 */
export function nextChangelog(changelog, version, date) {
  return changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} - ${date}\n`);
}

import {findSimilar} from '../../config/edit-distance.ts';

/** Words by which users of other programs ask for the same. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['list', 'ls', 'dir', 'keys', 'all'],
  ['delete', 'remove', 'revoke', 'clear', 'uninstall', 'rm', 'del', 'unset', 'erase', 'off'],
  ['put', 'use', 'grant', 'set', 'write', 'store', 'switch', 'allow'],
  ['new', 'create', 'save', 'init', 'add', 'make'],
  ['get', 'cat', 'read', 'show'],
  ['watch', 'tail', 'follow', 'events', 'subscribe'],
  ['logs', 'requests', 'log', 'output'],
  ['start', 'serve', 'server', 'up', 'resume'],
  ['stop', 'end', 'down', 'kill', 'quit'],
  ['status', 'info', 'state', 'ps'],
  ['console', 'open', 'ui', 'browser'],
  ['sign-in', 'login', 'signin'],
  ['sign-out', 'logout', 'signout'],
  ['identity', 'whoami', 'me'],
  ['import', 'load', 'restore'],
  ['export', 'dump', 'backup'],
  ['copy', 'cp'],
  ['reset', 'flush', 'wipe'],
  ['config', 'settings'],
  ['plugin', 'plugins'],
  ['doctor', 'check'],
];

/** Returns the name that the user probably meant: one that means the same, or else the most similar one. */
export function findMeant(name: string, known: readonly string[]): string | undefined {
  const word = name.toLowerCase();
  const same = SYNONYMS.filter(group => group.includes(word)).flat();
  return same.find(each => known.includes(each)) ?? findSimilar(name, known);
}

/** Lists choices for a sentence: `list, use or clear`. */
export function formatChoices(choices: readonly string[]): string {
  return choices.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** Asks whether the user meant this, at the end of a sentence; empty if it is undefined. */
export function suggest(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';

/** A step of a process: a change of a name in a directory, a sync of a file or directory, or bytes for another process. */
export type TracedStep =
  | {readonly kind: 'make-directory' | 'unlink' | 'sync'; readonly path: string}
  | {readonly kind: 'rename'; readonly from: string; readonly path: string}
  | {readonly kind: 'tell'};

const CALLS = 'mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,fsync,fdatasync,write,writev,sendto,sendmsg';

/** Returns the program that traces the steps of a process into a file. */
export function nameTracer(output: string): readonly string[] {
  // With a question mark strace ignores unknown names: some calls do not exist on other processors.
  return ['strace', '-f', '-yy', '-s', '0', '-o', output, '-e', `trace=${CALLS.replaceAll(/\w+/g, '?$&')}`];
}

/** Reads the steps that succeeded, in the order in which they ended. */
export async function readTrace(path: string): Promise<readonly TracedStep[]> {
  const begun = new Map<string, string>();
  const steps: TracedStep[] = [];
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text.endsWith(' <unfinished ...>')) begun.set(thread, text.slice(0, -' <unfinished ...>'.length));
    else {
      const step = readStep((begun.get(thread) ?? '') + text.replace(/^<\.\.\. \w+ resumed>/, ''));
      begun.delete(thread);
      if (step !== undefined) steps.push(step);
    }
  }
  return steps;
}

function readStep(call: string): TracedStep | undefined {
  const [, name = '', args = '', result = ''] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(call) ?? [];
  if (result === '' || result.startsWith('-')) return undefined;
  const [first = '', second = ''] = Array.from(args.matchAll(/"([^"]*)"/g), ([, path = '']) => path);
  const opened = /^\d+<(.*?)>/.exec(args)?.[1] ?? '';
  if (name.startsWith('mkdir')) return {kind: 'make-directory', path: first};
  if (name.startsWith('rename')) return {kind: 'rename', from: first, path: second};
  if (name.startsWith('unlink')) return {kind: 'unlink', path: first};
  if (name.endsWith('sync')) return {kind: 'sync', path: opened};
  return /^(?:TCP|pipe:|socket:|UNIX)/.test(opened) ? {kind: 'tell'} : undefined;
}

/**
 * Asserts that a file, once renamed to its path, survives a loss of power before anything was reported: the file was synced before, and
 * its directory after that, like those of the directories that were made for it.
 */
export function assertWritten(steps: readonly TracedStep[], path: string): void {
  const renamed = steps.findLastIndex(step => step.kind === 'rename' && step.path === path);
  const step = steps[renamed];
  assert.ok(step?.kind === 'rename', `${path} was not renamed to its place: ${JSON.stringify(steps.slice(-40))}`);
  assert.ok(findSync(steps, step.from) !== undefined, `${step.from} was not synced`);
  assert.ok((findSync(steps, step.from) ?? Infinity) < renamed, `${step.from} was synced after it was renamed`);
  assertNamed(steps, renamed);
  const made = Array.from(steps.entries()).filter(
    ([, each]) => each.kind === 'make-directory' && path.startsWith(`${each.path}/`),
  );
  for (const [index] of made) assertNamed(steps, index, renamed);
}

/** Asserts that a file is removed, also after a loss of power, before anything was reported. */
export function assertRemoved(steps: readonly TracedStep[], path: string): void {
  const removed = steps.findLastIndex(step => step.kind === 'unlink' && step.path === path);
  assert.ok(removed !== -1, `${path} was not removed`);
  assertNamed(steps, removed);
}

/** Asserts that each file of a directory that was copied was synced at its new place, with the name of that, before it was removed from the old one. */
export function assertCopied(
  steps: readonly TracedStep[],
  files: readonly string[],
  [from, to]: readonly [string, string],
): void {
  const removed = steps.findIndex(step => step.kind === 'unlink' && step.path.startsWith(`${from}/`));
  assert.ok(removed !== -1, `nothing was removed from ${from}`);
  for (const path of [...files.map(file => join(to, file)), to, dirname(to)])
    assert.ok((findSync(steps, path) ?? Infinity) < removed, `${path} was not synced before the removal from ${from}`);
}

/** Asserts that the directory of a changed name was synced before the process reported anything. */
function assertNamed(steps: readonly TracedStep[], changed: number, from = changed): void {
  const step = steps[changed];
  assert.ok(step !== undefined && 'path' in step);
  const told = steps.findIndex(({kind}, index) => kind === 'tell' && index > from);
  const synced = findSync(steps, dirname(step.path), changed);
  assert.ok(synced !== undefined, `${dirname(step.path)} was not synced after ${step.kind} of ${step.path}`);
  assert.ok(told === -1 || synced < told, `${step.kind} of ${step.path} was reported before it was synced`);
}

function findSync(steps: readonly TracedStep[], path: string, after = -1): number | undefined {
  const found = steps.findIndex((step, index) => index > after && step.kind === 'sync' && step.path === path);
  return found === -1 ? undefined : found;
}

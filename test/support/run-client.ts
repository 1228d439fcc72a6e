import {execFile, spawnSync} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {makeTemporaryDirectory} from './service.ts';

/** How a program in another language is run from its file. */
const RUNNERS = {
  python: {command: 'python3', args: [], file: 'client.py'},
  php: {command: 'php', args: [], file: 'client.php'},
  java: {command: 'java', args: [], file: 'Client.java'},
  go: {command: 'go', args: ['run'], file: 'client.go'},
} as const;

/** A language of clients. */
export type Language = keyof typeof RUNNERS;

/** Returns whether programs of a language can be run here. In CI a missing one is a failure, not a skipped test. */
export function canRun(language: Language): boolean {
  return process.env['CI'] !== undefined || spawnSync(RUNNERS[language].command, ['--help']).error === undefined;
}

/** Runs a program in a language with arguments. @returns What it prints. */
export async function runClient(language: Language, code: string, args: readonly string[]): Promise<string> {
  await using directory = await makeTemporaryDirectory();
  const {command, args: first, file} = RUNNERS[language];
  const path = join(directory.path, file);
  await writeFile(path, code);
  const env = {...process.env, GOCACHE: join(directory.path, 'cache'), GO111MODULE: 'off'};
  const {stdout} = await promisify(execFile)(command, [...first, path, ...args], {env, timeout: 120_000});
  return stdout;
}

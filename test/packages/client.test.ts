import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {describe, expect, test} from 'vitest';
import type {FailureError} from '../../src/core/failures/failure-error.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = join(root, 'packages', 'client');
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

describe('the package crewroom-client', () => {
  const files = readdirSync(join(own, 'dist'), {recursive: true, encoding: 'utf8'}).filter(name =>
    /\.[jt]s$/.test(name),
  );

  test('has the files of crewroom/client, byte for byte', () => {
    expect(files).toContain(join('client', 'index.js'));
    for (const file of files)
      expect(readFileSync(join(own, 'dist', file), 'utf8'), file).toBe(readFileSync(join(root, 'dist', file), 'utf8'));
  });

  test('imports no module of Node and no package', () => {
    const specifiers = files.flatMap(file =>
      Array.from(
        readFileSync(join(own, 'dist', file), 'utf8').matchAll(/^(?:import|export) .*\bfrom '([^']+)';$/gm),
        ([, name]) => name,
      ),
    );
    expect(specifiers.length).toBeGreaterThan(50);
    expect(specifiers.filter(name => !name?.startsWith('.'))).toEqual([]);
  });

  test('knows the errors of crewroom, and crewroom knows those of it', async () => {
    const load = async (...path: string[]): Promise<{readonly AppError: typeof FailureError}> =>
      import(pathToFileURL(join(...path)).href);
    const {AppError: Own} = await load(own, 'dist', 'client', 'index.js');
    const {AppError} = await load(root, 'dist', 'app', 'index.js');
    expect(Own).not.toBe(AppError);
    for (const error of [new Own({code: 'no-identity'}), new AppError({code: 'no-identity'})])
      expect([Own.is(error), AppError.is(error), error.code]).toEqual([true, true, 'no-identity']);
    for (const other of [new Error('x'), undefined])
      expect([Own.is(other), AppError.is(other)]).toEqual([false, false]);
  });

  test('has the version of the service, and its entry points', () => {
    const service = read(join(root, 'package.json'));
    const client = read(join(own, 'package.json'));
    expect(client).toMatchObject({version: (service as {version: string}).version});
    expect(client).not.toHaveProperty('dependencies');
    for (const door of ['', '/service', '/transfer'])
      expect((client as {exports: object}).exports).toHaveProperty(
        [`.${door}`],
        (service as {exports: Record<string, unknown>}).exports[`./client${door}`],
      );
  });
});

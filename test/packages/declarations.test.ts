import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

const PROGRAM = `
import {AppError, type Crewroom, openCrewroom} from 'crewroom';
import {type Client, createClient} from 'crewroom/client';
import {createService} from 'crewroom/client/service';
import {createTransfer} from 'crewroom/client/transfer';
import {loadPlugin} from 'crewroom/testing';

export const doors = {AppError, openCrewroom, createClient, createService, createTransfer, loadPlugin};
export async function read(crewroom: Crewroom, client: Client): Promise<number | undefined> {
  const key: string | undefined = (await crewroom.entries.get('a'))?.key;
  // @ts-expect-error: declarations are found, and know which members there are
  key?.length.none;
  return (await client.entries.get<number>('a'))?.value;
}
`;

describe('the declarations', () => {
  const project = mkdtempSync(join(tmpdir(), 'crewroom-declarations-'));

  beforeAll(() => {
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules', 'crewroom'));
    writeFileSync(join(project, 'package.json'), JSON.stringify({type: 'module'}));
    writeFileSync(join(project, 'program.ts'), PROGRAM);
  });
  afterAll(() => rmSync(project, {recursive: true, force: true}));

  test('import files that are there, and use no type of bytes that TypeScript 5.2 does not know', () => {
    const files = readdirSync(join(root, 'dist'), {recursive: true, encoding: 'utf8'}).filter(name =>
      name.endsWith('.d.ts'),
    );
    expect(files.length).toBeGreaterThan(400);
    const unfit = files.filter(file =>
      /['"]\.[^'"]*\.ts['"]|Uint8Array</.test(readFileSync(join(root, 'dist', file), 'utf8')),
    );
    expect(unfit).toEqual([]);
  });

  for (const [moduleResolution, module] of [
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ] as const) {
    test(`compile with the module resolution ${moduleResolution}`, () => {
      const compilerOptions = {
        ...{module, moduleResolution, target: 'es2022', strict: true, exactOptionalPropertyTypes: true, noEmit: true},
        // What most projects have, without disposables; and libraries are checked, too.
        ...{lib: ['es2022', 'dom'], types: [], skipLibCheck: false},
      };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({compilerOptions, files: ['program.ts']}));
      const {status, stdout} = spawnSync(process.execPath, [compiler, '-p', project], {encoding: 'utf8'});
      expect([status, stdout]).toEqual([0, '']);
    });
  }
});

import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {transform} from 'esbuild';
import {describe, expect, onTestFinished, test} from 'vitest';
import {type DocExample, findExamples, findPublicFunctions, ROOT} from './support/doc-examples.ts';
import {useService} from './support/service.ts';

const service = useService({ephemeral: true});
const EXAMPLES = findExamples();

/** Modules that examples import, as their readers would write them. */
const MODULES_OF_READERS = {
  'my-source.ts':
    "import type {IdentitySource} from 'crewroom';\nexport declare function openMySource(): Promise<IdentitySource>;\n",
};

/** Runs an example. @returns The lines that it prints. */
async function run(code: string): Promise<readonly string[]> {
  const {url} = service();
  const local = code
    .replaceAll(/(create(?:Client|Service|Transfer)\()\)/g, `$1{baseUrl: '${url}'})`)
    .replaceAll(/http:\/\/localhost:\d+/g, url);
  const {code: script} = await transform(local, {loader: 'ts', format: 'esm', target: 'es2022'});
  const {stdout} = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {cwd: ROOT});
  return stdout.split('\n').slice(0, -1);
}

/** Checks the types of programs within the package. @returns The messages of the compiler. */
async function checkTypes(programs: readonly DocExample[]): Promise<string> {
  const directory = await mkdtemp(join(ROOT, '.doc-examples-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  await mkdir(join(directory, 'examples'));
  const files = [
    ...Object.entries(MODULES_OF_READERS),
    ...programs.map(({file, code}, index) => [`examples/${index}-${file.replaceAll('/', '-')}`, code] as const),
  ];
  for (const [name, text] of files) await writeFile(join(directory, name), text);
  const config = {extends: join(ROOT, 'tsconfig.json'), files: files.map(([name]) => name), include: []};
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const compiling = promisify(execFile)(process.execPath, [compiler, '-p', directory, '--pretty', 'false']);
  return compiling.then(
    () => '',
    (error: {readonly stdout: string}) => error.stdout,
  );
}

describe('each function and class of an entry point has an example', () => {
  for (const {entryPoint, name, examples} of findPublicFunctions()) {
    test(`${name} of ${entryPoint}`, () => {
      expect(
        examples.filter(code => new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from 'crewroom`).test(code)),
      ).not.toEqual([]);
    });
  }
});

test('the examples in docstrings have the right types', async () => {
  expect(await checkTypes(EXAMPLES)).toBe('');
});

describe('the examples in docstrings print what their comments say', () => {
  // Those of `crewroom/testing` are tests, which run elsewhere.
  for (const {file, code} of EXAMPLES.filter(({code}) => !code.includes('crewroom/testing'))) {
    const [, what = 'the library'] = /import \{(\w+)/.exec(code) ?? [];
    test(`${what} in ${file}`, async () => {
      const printed = Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, text = '']) => text);
      expect(await run(code)).toEqual(printed);
    });
  }
});

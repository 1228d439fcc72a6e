import {execFile} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {transform} from 'esbuild';
import {describe, expect, test} from 'vitest';
import {useService} from './support/service.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const service = useService({ephemeral: true});

/** Examples of docstrings that are whole programs: those that import from "crewroom" or its client. */
const EXAMPLES = readdirSync(join(ROOT, 'src'), {recursive: true, encoding: 'utf8'})
  .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .flatMap(file =>
    Array.from(
      readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/^ *\* @example\n *\* ```ts\n([\s\S]*?)^ *\* ```$/gm),
    )
      .map(([, block = '']) => block.replaceAll(/^ *\* ?/gm, ''))
      .filter(code => /from 'crewroom(?:\/client)?'/.test(code) && !code.includes('crewroom/testing'))
      .map(code => ({file, code})),
  );

/** Runs an example. @returns The lines that it prints. */
async function run(code: string): Promise<readonly string[]> {
  const local = code.replaceAll('createClient()', `createClient({baseUrl: '${service().url}'})`);
  const {code: script} = await transform(local, {loader: 'ts', format: 'esm', target: 'es2022'});
  const {stdout} = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {cwd: ROOT});
  return stdout.split('\n').slice(0, -1);
}

describe('the examples in docstrings print what their comments say', () => {
  for (const {file, code} of EXAMPLES) {
    const [, what = 'the library'] = /import \{(\w+)/.exec(code) ?? [];
    test(`${what} in ${file}`, async () => {
      const printed = Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, text = '']) => text);
      expect(await run(code)).toEqual(printed);
    });
  }
});

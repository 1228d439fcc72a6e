import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {describeApi} from './support/public-api.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const {exports} = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly exports: Readonly<Record<string, string | {readonly types: string; readonly default: string}>>;
};

// A difference here is a change of the public interface: review it, then `npx vitest run test/api.test.ts --update`
// writes the files again.
describe('the public interface matches its snapshot', () => {
  for (const [door, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue;
    const name = door === '.' ? 'crewroom' : door.replace('./', 'crewroom-').replaceAll('/', '-');

    test(`of ${door.replace('.', 'crewroom')}`, async () => {
      const api = describeApi(`${root}${target.types}`);
      await expect(api).toMatchFileSnapshot(`api/${name}.d.ts.txt`);
      const values = Array.from(
        api.matchAll(/^\/\/ (\w+)\nexport declare (?:abstract )?(?:class|const|function) /gm),
        ([, value]) => value,
      );
      expect(Object.keys((await import(`${root}${target.default}`)) as object).sort()).toEqual(
        [...new Set(values)].sort(),
      );
    });
  }
});

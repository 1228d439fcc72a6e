import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {COMMAND_LIST} from '../src/cli/catalogue/commands.ts';
import {createMachine} from './cli/crewroom.ts';
import {expectListing, expectText} from './support/api/expect-listing.ts';
import {listCommands} from './support/api/list-commands.ts';
import {listFailures} from './support/api/list-failures.ts';
import {listOperations, type OpenApiDocument} from './support/api/list-operations.ts';
import {type JsonSchema, listSchema} from './support/api/list-schema.ts';
import {type Door, exportsOf, listTypes} from './support/api/list-types.ts';

const machine = await createMachine();
const root = fileURLToPath(new URL('..', import.meta.url));

/** The files of an entry point of a package, by the condition under which it is loaded. */
interface Target {
  readonly import?: Target;
  readonly types?: string;
  readonly default?: string;
}

/** Returns the entry points of a package, with the file that each runs. */
function doorsOf(folder: string, owner: string): readonly (Door & {readonly program: string})[] {
  const {name, exports} = JSON.parse(readFileSync(`${root}${folder}package.json`, 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | Target>>;
  };
  return Object.entries(exports).flatMap(([path, target]) => {
    const {types, default: program = ''} = typeof target === 'string' ? {types: undefined} : (target.import ?? target);
    if (types === undefined) return [];
    const base = `${root}${folder}`;
    return [{name: path.replace('.', name), file: `${base}${types}`, owner, program: `${base}${program}`}];
  });
}

const OWN = doorsOf('', '');
const SDKS = [
  ...doorsOf('packages/background-sdk/', 'crewroom-background-sdk '),
  ...doorsOf('packages/ui-sdk/', 'crewroom-ui-sdk '),
];
const DOORS = [...OWN, ...doorsOf('packages/client/', ''), ...SDKS];

// A difference here is a change of the public interface: review it, then `npx vitest run test/api.test.ts --update`
// writes the listings again.
describe('the public surface matches its listing', () => {
  test('of operations', async () => {
    const document = JSON.parse(readFileSync(`${root}dist/openapi.json`, 'utf8')) as OpenApiDocument;
    await expectListing('operations', listOperations(document));
  });

  test('of exported names', async () => {
    const lines = DOORS.flatMap(door =>
      exportsOf(door).map(({name, isValue}) => `${door.name} ${name}: ${isValue ? 'value' : 'type'}`),
    );
    await expectListing('names', `${lines.join('\n')}\n`);
  });

  test('of types, with all that they mention', async () => {
    await expectListing('types', listTypes([...OWN, ...SDKS]));
  });

  test('of failures', async () => {
    await expectListing('failures', listFailures(`${root}dist/core/failures`));
  });

  test('of commands, settings and exit codes', async () => {
    await expectListing('commands', listCommands());
  });

  test('of files that users write', async () => {
    const lines = ['config', 'manifest', 'profile'].flatMap(name => {
      const schema = JSON.parse(readFileSync(`${root}dist/schemas/${name}.json`, 'utf8')) as JsonSchema;
      return listSchema(schema, `${name}.json in file`, () => expect.fail('it has no references'));
    });
    await expectListing('files', `${lines.join('\n')}\n`);
  });

  test('of help texts', async () => {
    const texts = [[], ...COMMAND_LIST.map(({name}) => [name])].map(async args => {
      const {stdout} = await machine.run(['help', ...args]);
      return stdout;
    });
    await expectText('help', (await Promise.all(texts)).join('\n'));
  });
});

describe('values of the listing are those at run time', () => {
  for (const door of [...OWN, ...doorsOf('packages/client/', '')]) {
    test(door.name, async () => {
      const values = exportsOf(door).filter(({isValue}) => isValue);
      const loaded = (await import(door.program)) as object;
      expect(Object.keys(loaded).sort()).toEqual(values.map(({name}) => name));
    });
  }
});

import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {readPluginConfig} from './plugin-config.ts';

async function write(content: string): Promise<string> {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const file = join(directory.path, 'config.json');
  await writeFile(file, content);
  return file;
}

describe('readPluginConfig()', () => {
  test('is an empty object without a file', async () => {
    expect(await readPluginConfig('')).toBe('{}');
  });

  test('returns the text of an object, without a byte order mark', async () => {
    expect(await readPluginConfig(await write('\ufeff{"privateAPI": "http://a.example", "n": 1.0}'))).toBe(
      '{"privateAPI": "http://a.example", "n": 1.0}',
    );
  });

  const wrong = [
    {content: '[]', problem: 'is not a JSON object'},
    {content: 'null', problem: 'is not a JSON object'},
    {content: '{"a"}', problem: 'is not JSON in UTF-8: expected ":", found "}" at line 1, column 5'},
    {content: ' '.repeat(2 * 1024 * 1024), problem: 'is larger than 1048576 bytes'},
  ];
  for (const {content, problem} of wrong) {
    test(`refuses a file of ${JSON.stringify(content.slice(0, 10))}`, async () => {
      const file = await write(content);
      await expect(readPluginConfig(file)).rejects.toMatchObject({
        failure: {
          code: 'invalid-configuration',
          problems: [{setting: 'pluginConfig', source: 'pluginConfig', problem: `${file} ${problem}`}],
        },
      });
    });
  }

  test('refuses a missing file', async () => {
    await expect(readPluginConfig('/nowhere/config.json')).rejects.toMatchObject({
      failure: {problems: [{problem: '/nowhere/config.json does not exist'}]},
    });
  });
});

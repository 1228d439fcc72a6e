import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, onTestFinished, test} from 'vitest';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {describeDataDirectory, prepareDataDirectory} from './data-directory.ts';
import {type FileSystem, NODE_FILES} from './file-system.ts';

for (const part of ['store', 'lock'] as const) {
  // On Windows files have no owner of this kind.
  test.skipIf(process.platform === 'win32')(
    `when a directory is refused since its ${part} is of another user, nothing is changed in it afterwards`,
    async () => {
      const temporary = await makeTemporaryDirectory();
      onTestFinished(() => temporary[Symbol.asyncDispose]());
      const path = join(temporary.path, 'data');
      for (const name of ['store', 'lock']) await mkdir(join(path, name), {recursive: true});
      let running = 0;
      const slowly = async <T>(call: Promise<T>): Promise<T> => {
        running += 1;
        // Longer than the call that is refused.
        for (let turns = 0; turns < 20; turns += 1) await turn();
        return call.finally(() => (running -= 1));
      };
      const files: FileSystem = {
        ...NODE_FILES,
        makeDirectory: each => slowly(NODE_FILES.makeDirectory(each)),
        setMode: (each, mode) => slowly(NODE_FILES.setMode(each, mode)),
        inspect: async each =>
          each === join(path, part)
            ? {kind: 'directory', isLink: false, sizeBytes: 0, owners: [12_345]}
            : NODE_FILES.inspect(each),
      };
      await expect(prepareDataDirectory(describeDataDirectory(path, files))).rejects.toThrow(
        'it belongs to user 12345',
      );
      expect(running).toBe(0);
    },
  );
}

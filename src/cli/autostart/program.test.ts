import {normalize} from 'node:path';
import {describe, expect, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {findPathProblem} from './autostart.ts';

const INSTALLED = {node: '/usr/bin/node', script: '/usr/lib/node_modules/crewroom/dist/cli/main.js'};

describe('findPathProblem()', () => {
  test('accepts what an installer puts in place', () => {
    expect(findPathProblem(INSTALLED, '/tmp')).toBeUndefined();
  });

  const refused = [
    {name: 'the cache of npx', script: '/home/ada/.npm/_npx/1f/node_modules/crewroom/dist/cli/main.js', said: /npx/},
    // Windows has that of the user only.
    ...(IS_WINDOWS ? [] : [{name: 'a directory for temporary files', script: '/tmp/a/main.js', said: /temporary/}]),
    {name: 'that of this user', script: '/home/ada/tmp/main.js', said: /temporary/},
    {name: 'a relative path', script: 'main.js', said: /absolute/},
    {name: 'a line break', script: '/home/a\nb/main.js', said: /control/},
    {name: 'a C1 control', script: '/home/a\u009bb/main.js', said: /control/},
    {name: 'a change of direction', script: '/home/a\u202eb/main.js', said: /control/},
  ];
  for (const {name, script: path, said} of refused) {
    test(`refuses ${name}, of the script and of Node`, () => {
      const [script, own] = [normalize(path), normalize('/home/ada/tmp')];
      expect(findPathProblem({...INSTALLED, script}, own)).toMatch(said);
      expect(findPathProblem({...INSTALLED, node: script}, own)).toMatch(said);
    });
  }
});

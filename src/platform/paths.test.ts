import assert from 'node:assert/strict';
import {resolve, sep} from 'node:path';
import {describe, test} from 'vitest';
import {IS_WINDOWS} from '../../test/support/platform.ts';
import {platformPaths, resolvePath} from './paths.ts';

describe('the paths of a platform', () => {
  /** Returns paths with slashes, whatever system this is. */
  const pathsOf = (platform: NodeJS.Platform, environment: Readonly<Record<string, string>>, homeDir = '/home/ada') =>
    Object.fromEntries(
      Object.entries(platformPaths({platform, environment, homeDir})).map(([name, path]) => [
        name,
        path.replaceAll(sep, '/'),
      ]),
    );

  test('are the XDG base directories on Linux', () => {
    assert.deepEqual(pathsOf('linux', {XDG_CONFIG_HOME: '/etc/ada', XDG_DATA_HOME: ''}), {
      homeDir: '/home/ada',
      dataDir: '/home/ada/.local/share/crewroom',
      configFile: '/etc/ada/crewroom/config.json',
      cacheDir: '/home/ada/.cache/crewroom',
      logFile: '/home/ada/.local/state/crewroom/crewroom.log',
    });
  });

  test('are in the Library on macOS, and by variables on Windows', () => {
    assert.deepEqual(pathsOf('darwin', {XDG_DATA_HOME: '/data'}), {
      homeDir: '/home/ada',
      dataDir: '/home/ada/Library/Application Support/crewroom',
      configFile: '/home/ada/Library/Preferences/crewroom/config.json',
      cacheDir: '/home/ada/Library/Caches/crewroom',
      logFile: '/home/ada/Library/Logs/crewroom/crewroom.log',
    });
    assert.deepEqual(pathsOf('win32', {APPDATA: '/roaming'}), {
      homeDir: '/home/ada',
      dataDir: '/home/ada/AppData/Local/crewroom/Data',
      configFile: '/roaming/crewroom/Config/config.json',
      cacheDir: '/home/ada/AppData/Local/crewroom/Cache',
      logFile: '/home/ada/AppData/Local/crewroom/Log/crewroom.log',
    });
  });

  test('do not depend on a relative path in a variable', () => {
    const environment = {XDG_DATA_HOME: 'data', XDG_CONFIG_HOME: './config', XDG_CACHE_HOME: '~/cache'};
    assert.deepEqual(pathsOf('linux', environment), pathsOf('linux', {}));
  });

  test('are empty without a home directory, but for those that a variable names', () => {
    assert.deepEqual(pathsOf('linux', {XDG_DATA_HOME: '/data'}, ''), {
      homeDir: '',
      dataDir: '/data/crewroom',
      configFile: '',
      cacheDir: '',
      logFile: '',
    });
  });
});

describe('a path that a user gave', () => {
  const cases = [
    {given: '~', path: '/home/ada'},
    {given: '~/data', path: '/home/ada/data'},
    {given: '~/../ben', path: '/home/ben'},
    {given: 'data', path: '/folder/data'},
    {given: '/data', path: '/data'},
    {given: '~ben/data', path: '/folder/~ben/data'},
    // On Windows that is a separator too.
    {given: '~\\data', path: IS_WINDOWS ? '/home/ada/data' : '/folder/~\\data'},
    {given: './~/data', path: '/folder/~/data'},
    {given: 'a/~', path: '/folder/a/~'},
  ];
  for (const {given, path} of cases)
    test(`is ${path} for ${given}`, () => {
      const base = {workingDirectory: resolve('/folder'), homeDir: resolve('/home/ada')};
      assert.equal(resolvePath(given, base), resolve(path));
    });

  test('may begin with a tilde without a home directory', () => {
    assert.equal(resolvePath('~/data', {workingDirectory: '/folder', homeDir: ''}), resolve('/folder/~/data'));
  });
});

import {describe, expect, test} from 'vitest';
import type {AccessMode, Action, Permission, Principal} from '../../core/domain/access/access.ts';
import {type AccessVerdict, judgeAccess} from './permission.ts';

interface Asked {
  readonly name: string;
  readonly mode: AccessMode;
  readonly principal?: Principal;
  readonly isProved?: boolean;
  readonly granted?: readonly Permission[];
}

/** The columns of the table: callers in their modes. */
const CALLERS: readonly Asked[] = [
  {name: 'owner', mode: 'attributed', principal: 'owner'},
  {name: 'program, open', mode: 'open'},
  {name: 'plugin, open', mode: 'open', principal: 'plugin:com.a'},
  {name: 'program', mode: 'attributed'},
  {name: 'plugin', mode: 'attributed', principal: 'plugin:com.a'},
  {name: 'background, strict', mode: 'strict', principal: 'plugin:com.a', isProved: true},
  {name: 'page, strict', mode: 'strict', principal: 'plugin:com.a'},
  {name: 'program, strict', mode: 'strict'},
  {name: 'admin', mode: 'attributed', principal: 'token:t', granted: ['admin']},
];

/** The table: what each caller may do. `y` is permitted, `401` for want of credentials, `403` to this caller. */
const TABLE: Readonly<Record<Action, string>> = {
  'identity:read': 'y y y y y y 401 401 y',
  'identity:secrets': 'y y y 401 403 403 401 401 y',
  'session:manage': 'y y y 401 403 403 401 401 y',
  'plugins:manage': 'y y y 401 403 403 401 401 y',
  'flight:report': 'y y y 401 403 403 401 401 y',
  admin: 'y y y 401 403 403 401 401 y',
  'access:change': 'y y y 401 403 403 401 401 403',
  'client:use': 'y y y y y y 401 401 y',
  'entries:read:': 'y y y 401 403 403 401 401 y',
  'entries:read:com.a/': 'y y y 401 y y 401 401 y',
  'entries:read:com.a/x': 'y y y 401 y y 401 401 y',
  'entries:read:com.a': 'y y y 401 403 403 401 401 y',
  'entries:read:com.ab/x': 'y y y 401 403 403 401 401 y',
  'entries:read:COM.A/x': 'y y y 401 403 403 401 401 y',
  'entries:read:shared/x': 'y y y y y y 401 401 y',
  'entries:read:shared': 'y y y 401 403 403 401 401 y',
  'entries:read:shared2/x': 'y y y 401 403 403 401 401 y',
  'entries:write:': 'y y y 401 403 403 401 401 y',
  'entries:write:com.a/x': 'y y y 401 y y 401 401 y',
  'entries:write:com.b/x': 'y y y 401 403 403 401 401 y',
  'entries:write:crewroom/x': 'y y y 401 403 403 401 401 y',
  'entries:write:shared/': 'y y y y y y 401 401 y',
  'some-entry:use': 'y y y y y y 401 401 y',
  'some-entry:read': 'y y y y y y 401 401 y',
  'settings:read:core': 'y y y y y y 401 401 y',
  'settings:write:core': 'y y y 401 y y 401 401 y',
  'settings:read:com.a': 'y y y 401 y y 401 401 y',
  'settings:write:com.a': 'y y y 401 y y 401 401 y',
  'settings:read:com.ab': 'y y y 401 403 403 401 401 y',
  'settings:write:com.b': 'y y y 401 403 403 401 401 y',
  'settings:read:xcom.a': 'y y y 401 403 403 401 401 y',
  'routes:call:com.a': 'y y y 401 y y 401 401 y',
  'routes:call:com.b': 'y y y 401 403 403 401 401 y',
};

const SHOWN: {readonly [V in AccessVerdict]: string} = {
  permitted: 'y',
  'credentials-needed': '401',
  'permission-needed': '403',
};

function verdictOf({mode, principal, isProved = false, granted = []}: Asked, action: Action): string {
  return SHOWN[judgeAccess({mode, principal, isProved, granted}, action)];
}

describe('judgeAccess()', () => {
  for (const [action, row] of Object.entries(TABLE) as readonly [Action, string][])
    test(action, () => {
      const expected = CALLERS.map(({name}, index) => [name, row.split(/ +/)[index]]);
      expect(CALLERS.map(caller => [caller.name, verdictOf(caller, action)])).toEqual(expected);
    });

  test('permits a program without credentials nothing that a plugin may not do', () => {
    const actions = Object.keys(TABLE) as readonly Action[];
    const [program, plugin] = ['program', 'plugin'].map(name => CALLERS.find(caller => caller.name === name));
    if (program === undefined || plugin === undefined) throw new Error('The table lacks a caller');
    const permitted = (caller: Asked): readonly Action[] => actions.filter(each => verdictOf(caller, each) === 'y');
    expect(permitted(plugin)).toEqual(expect.arrayContaining([...permitted(program)]));
  });

  const granted: readonly {readonly permission: Permission; readonly yes: Action; readonly no: Action}[] = [
    {permission: 'identity:secrets', yes: 'identity:secrets', no: 'session:manage'},
    {permission: 'entries:read:com.b/', yes: 'entries:read:com.b/x', no: 'entries:write:com.b/x'},
    {permission: 'entries:read:com.b/', yes: 'entries:read:com.a/x', no: 'entries:read:com.bb/x'},
    {permission: 'entries:write:', yes: 'entries:write:', no: 'entries:read:'},
    {permission: 'plugins:manage', yes: 'settings:write:com.b', no: 'admin'},
    {permission: 'plugins:manage', yes: 'routes:call:com.b', no: 'access:change'},
    {permission: 'plugins:manage', yes: 'client:use', no: 'flight:report'},
    {permission: 'flight:report', yes: 'flight:report', no: 'plugins:manage'},
    {permission: 'admin', yes: 'identity:secrets', no: 'access:change'},
  ];
  for (const {permission, yes, no} of granted)
    test(`permits a plugin with the grant ${permission} to do ${yes}, and not ${no}`, () => {
      const plugin = {name: '', mode: 'attributed', principal: 'plugin:com.a', granted: [permission]} as const;
      expect([verdictOf(plugin, yes), verdictOf(plugin, no)]).toEqual(['y', '403']);
    });

  test('permits a token the same in each mode', () => {
    for (const mode of ['open', 'attributed', 'strict'] as const)
      for (const action of ['entries:read:com.a/x', 'entries:read:shared/x', 'client:use'] as const)
        expect(verdictOf({name: '', mode, principal: 'token:t', granted: ['entries:read:com.a/']}, action)).toBe(
          action === 'entries:read:com.a/x' ? 'y' : '403',
        );
  });
});

import {describe, expect, test} from 'vitest';
import {fillIn, mergeChanges, type SettingRules} from './setting-rules.ts';

const USER = {settingType: 'user', required: false, advanced: false} as const;

const RULES: SettingRules = new Map([
  ['sound', {type: 'boolean', ...USER, default: true}],
  ['volume', {type: 'number', ...USER, default: 5, when: {key: 'sound', value: true}}],
  ['name', {type: 'string', ...USER, minLength: 3}],
  [
    'mode',
    {
      type: 'list',
      ...USER,
      default: 'a',
      options: new Map([
        ['a', 'A'],
        ['b', 'B'],
      ]),
    },
  ],
  [
    'rows',
    {
      type: 'list',
      ...USER,
      default: 10,
      options: new Map<string | number, string>([
        [10, ''],
        [20, ''],
      ]),
    },
  ],
  ['fleet', {type: 'boolean', ...USER, settingType: 'airline', default: false}],
]);

const DEFAULTS = {sound: true, volume: 5, mode: 'a', rows: 10};

describe('fillIn()', () => {
  test('returns the defaults of the settings of the user', () => {
    expect(fillIn(RULES, {})).toEqual({values: DEFAULTS, problems: []});
  });

  test('returns stored values that fit', () => {
    const stored = {sound: true, volume: 7, name: 'Ada', mode: 'b', rows: 20};
    expect(fillIn(RULES, stored)).toEqual({values: stored, problems: []});
  });

  const wrong = [
    {stored: {sound: 'yes'}, problem: {path: '$.sound', problem: 'is not a boolean'}},
    {stored: {volume: '7'}, problem: {path: '$.volume', problem: 'is not a number'}},
    {stored: {name: 'ab'}, problem: {path: '$.name', problem: 'is shorter than 3 characters'}},
    {stored: {name: '😀😀'}, problem: {path: '$.name', problem: 'is shorter than 3 characters'}},
    {stored: {mode: 'c'}, problem: {path: '$.mode', problem: 'is not one of "a", "b"'}},
    {stored: {rows: 30}, problem: {path: '$.rows', problem: 'is not one of 10, 20'}},
    {stored: {mode: null}, problem: {path: '$.mode', problem: 'is not one of "a", "b"'}},
  ];
  for (const {stored, problem} of wrong) {
    test(`reads the default for ${JSON.stringify(stored)}`, () => {
      expect(fillIn(RULES, stored)).toEqual({values: DEFAULTS, problems: [problem]});
    });
  }

  test('reads the default while the condition does not hold, without a problem', () => {
    expect(fillIn(RULES, {sound: false, volume: 7})).toEqual({values: {...DEFAULTS, sound: false}, problems: []});
  });

  test('ignores unknown members and settings of the airline', () => {
    expect(fillIn(RULES, {nosuch: 1, fleet: true, toString: 1})).toEqual({values: DEFAULTS, problems: []});
  });

  test('ignores members of the prototype', () => {
    const rules: SettingRules = new Map([['constructor', {type: 'string', ...USER}]]);
    expect(fillIn(rules, {})).toEqual({values: {}, problems: []});
  });
});

describe('mergeChanges()', () => {
  test('stores what differs from the defaults', () => {
    expect(mergeChanges(RULES, {}, {mode: 'b', rows: 10, sound: true})).toEqual({stored: {mode: 'b'}});
  });

  test('keeps other stored values, and removes those that are restored', () => {
    expect(mergeChanges(RULES, {mode: 'b', name: 'Ada', old: 1}, {mode: null})).toEqual({stored: {name: 'Ada'}});
    expect(mergeChanges(RULES, {mode: 'b'}, {mode: 'a'})).toEqual({stored: {}});
  });

  test('names every problem, and stores nothing then', () => {
    expect(mergeChanges(RULES, {}, {mode: 'c', volume: true, fleet: true, 'no such': 1, name: 'Ada'})).toEqual({
      problems: [
        {path: '$.mode', problem: 'is not one of "a", "b"'},
        {path: '$.volume', problem: 'is not a number'},
        {path: '$.fleet', problem: 'is set by the airline'},
        {path: '$["no such"]', problem: 'is not a setting'},
      ],
    });
  });

  test('refuses a value whose condition does not hold after the change', () => {
    const problems = [{path: '$.volume', problem: 'applies only if "sound" is true'}];
    expect(mergeChanges(RULES, {sound: false}, {volume: 7})).toEqual({problems});
    expect(mergeChanges(RULES, {}, {volume: 7, sound: false})).toEqual({problems});
    expect(mergeChanges(RULES, {sound: false}, {volume: 7, sound: true})).toEqual({stored: {volume: 7}});
    expect(mergeChanges(RULES, {sound: false}, {volume: 5})).toEqual({stored: {sound: false}});
  });

  test('keeps a value while its condition does not hold', () => {
    expect(mergeChanges(RULES, {volume: 7}, {sound: false})).toEqual({stored: {volume: 7, sound: false}});
  });

  test('treats __proto__ as an ordinary name', () => {
    const rules: SettingRules = new Map([['__proto__', {type: 'string', ...USER}]]);
    const merged = mergeChanges(rules, {}, JSON.parse('{"__proto__": "x"}'));
    expect(JSON.stringify(merged)).toBe('{"stored":{"__proto__":"x"}}');
  });
});

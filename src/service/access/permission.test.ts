import {describe, expect, test} from 'vitest';
import {type Action, PERMISSION_NAMES, type Permission} from '../../core/domain/access/access.ts';
import {grantable, includes, readPermission} from './permission.ts';

describe('readPermission()', () => {
  for (const text of [...PERMISSION_NAMES, 'entries:read:', 'entries:write:com.a/', 'entries:read:a:b/\u00e9/'])
    test(`reads ${text}`, () => expect(readPermission(text)).toEqual({permission: text}));

  const refused = [
    ['', `is not one of ${PERMISSION_NAMES.join(', ')}, entries`],
    ['', ', entries:read:PREFIX and entries:write:PREFIX'],
    ['xentries:read:', 'is not one of'],
    ['Admin', 'is not one of'],
    ['entries:read', 'is not one of'],
    ['entries:delete:a/', 'is not one of'],
    ['entries:read:com.a', 'has a prefix that does not end in "/"'],
    ['entries:read:a\n/', 'has a wrong prefix: it contains a control character'],
    [`entries:write:${'a'.repeat(600)}/`, 'has a wrong prefix: it is longer than 512 bytes'],
    [' admin', 'is not one of'],
  ] as const;
  for (const [text, problem] of refused)
    test(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(readPermission(text)).toEqual({problem: expect.stringContaining(problem)});
    });
});

/** Permissions that operations need, in the columns of {@link TABLE}. */
const NEEDED: readonly Action[] = [
  'identity:read',
  'identity:secrets',
  'session:manage',
  'plugins:manage',
  'flight:report',
  'admin',
  'entries:read:',
  'entries:read:com.a/',
  'entries:read:com.a/x',
  'entries:read:com.ab/x',
  'entries:read:com.a',
  'entries:write:com.a/x',
  'entries:write:',
  'access:change',
  'client:use',
  'settings:read:com.a',
  'routes:call:com.a',
  'some-entry:use',
  'some-entry:read',
];

/** Permissions of a caller, with a mark for each member of {@link NEEDED} that they include. */
const TABLE: readonly {readonly held: readonly Permission[]; readonly marks: string}[] = [
  {held: [], marks: '...................'},
  {held: ['identity:read'], marks: 'x..................'},
  {held: ['identity:secrets'], marks: 'xx.................'},
  {held: ['session:manage'], marks: '..x................'},
  {held: ['plugins:manage'], marks: '...x..........xxx..'},
  {held: ['flight:report'], marks: '....x..............'},
  {held: ['admin'], marks: 'xxxxxxxxxxxxx.xxxxx'},
  {held: ['entries:read:'], marks: '......xxxxx......xx'},
  {held: ['entries:read:com.a/'], marks: '.......xx........xx'},
  {held: ['entries:read:com.a/x/'], marks: '.................xx'},
  {held: ['entries:write:com.a/'], marks: '...........x.....x.'},
  {held: ['entries:write:'], marks: '...........xx....x.'},
  {held: ['entries:read:com.ab/', 'identity:read'], marks: 'x........x.......xx'},
];

describe('includes()', () => {
  test('takes a beginning only for entries', () => {
    expect(includes(['settings:read:com.a'], 'settings:read:com.a')).toBe(true);
    expect(includes(['settings:read:com.a'], 'settings:read:com.ab')).toBe(false);
  });

  for (const {held, marks} of TABLE)
    test(`decides what ${held.join(' and ') || 'no permission'} includes`, () => {
      expect(NEEDED.map(needed => (includes(held, needed) ? 'x' : '.')).join('')).toBe(marks);
    });
});

describe('grantable()', () => {
  test('names a permission that an owner can give, and that is enough', () => {
    expect(NEEDED.map(grantable)).toEqual([
      ...NEEDED.slice(0, 8),
      'entries:read:com.a/',
      'entries:read:com.ab/',
      'entries:read:',
      'entries:write:com.a/',
      'entries:write:',
      'admin',
      ...['plugins:manage', 'plugins:manage', 'plugins:manage'],
      ...['entries:read:shared/', 'entries:read:shared/'],
    ]);
    for (const needed of NEEDED.filter(each => each !== 'access:change')) {
      expect(readPermission(grantable(needed))).toEqual({permission: grantable(needed)});
      expect(includes([grantable(needed)], needed)).toBe(true);
    }
  });
});

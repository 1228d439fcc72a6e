import {describe, expect, test} from 'vitest';
import {PERMISSION_NAMES, type Permission} from '../domain/access/access.ts';
import {grantable, includes, readPermission} from './permission.ts';

describe('readPermission()', () => {
  for (const text of [...PERMISSION_NAMES, 'entries:read:', 'entries:write:com.a/', 'entries:read:a:b/\u00e9/'])
    test(`reads ${text}`, () => expect(readPermission(text)).toEqual({permission: text}));

  const refused = [
    ['', 'is not one of identity:read'],
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
const NEEDED: readonly Permission[] = [
  'identity:read',
  'identity:secrets',
  'session:manage',
  'plugins:manage',
  'admin',
  'entries:read:',
  'entries:read:com.a/',
  'entries:read:com.a/x',
  'entries:read:com.ab/x',
  'entries:read:com.a',
  'entries:write:com.a/x',
  'entries:write:',
];

/** Permissions of a caller, with a mark for each member of {@link NEEDED} that they include. */
const TABLE: readonly {readonly held: readonly Permission[]; readonly marks: string}[] = [
  {held: [], marks: '............'},
  {held: ['identity:read'], marks: 'x...........'},
  {held: ['identity:secrets'], marks: 'xx..........'},
  {held: ['session:manage'], marks: '..x.........'},
  {held: ['plugins:manage'], marks: '...x........'},
  {held: ['admin'], marks: 'xxxxxxxxxxxx'},
  {held: ['entries:read:'], marks: '.....xxxxx..'},
  {held: ['entries:read:com.a/'], marks: '......xx....'},
  {held: ['entries:read:com.a/x/'], marks: '............'},
  {held: ['entries:write:com.a/'], marks: '..........x.'},
  {held: ['entries:write:'], marks: '..........xx'},
  {held: ['entries:read:com.ab/', 'identity:read'], marks: 'x.......x...'},
];

describe('includes()', () => {
  for (const {held, marks} of TABLE)
    test(`decides what ${held.join(' and ') || 'no permission'} includes`, () => {
      expect(NEEDED.map(needed => (includes(held, needed) ? 'x' : '.')).join('')).toBe(marks);
    });
});

describe('grantable()', () => {
  test('names a permission that an owner can give, and that is enough', () => {
    expect(NEEDED.map(grantable)).toEqual([
      ...NEEDED.slice(0, 7),
      'entries:read:com.a/',
      'entries:read:com.ab/',
      'entries:read:',
      'entries:write:com.a/',
      'entries:write:',
    ]);
    for (const needed of NEEDED) {
      expect(readPermission(grantable(needed))).toEqual({permission: grantable(needed)});
      expect(includes([grantable(needed)], needed)).toBe(true);
    }
  });
});

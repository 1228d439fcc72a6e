import {describe, expect, test} from 'vitest';
import {breaksBetween, formatDifferences} from './breaks.ts';

const BEFORE = `GET /a: getA
GET /a in query limit: integer maximum 10
GET /a in json: object closed, required
GET /a in json.name: string, required
GET /a out 200 json: object
GET /a out 200 json.state: "on" | "off", required
GET /a out 200 json.note: string
`;

const TYPES = `// Entry
export interface Entry {
    readonly key: string;
    readonly value?: number;
    read(key: string): Promise<Entry>;
}
`;

describe('a difference of two listings is', () => {
  const cases = [
    {name: 'no difference', mark: [], before: BEFORE, from: '', to: ''},
    {name: 'an operation that went', mark: ['BREAK'], from: 'GET /a: getA\n', to: ''},
    {name: 'a renamed operation', mark: ['BREAK'], from: 'getA', to: 'getB'},
    {name: 'a parameter that went', mark: ['BREAK'], from: /.*query limit.*\n/, to: ''},
    {name: 'a narrower parameter', mark: ['BREAK'], from: 'maximum 10', to: 'maximum 9'},
    {name: 'a member of an answer that went', mark: ['BREAK'], from: /.*json.note.*\n/, to: ''},
    {name: 'a member of another type', mark: ['BREAK'], from: 'note: string', to: 'note: number'},
    {name: 'a renamed member', mark: ['BREAK', 'growth'], from: 'json.note', to: 'json.text'},
    {name: 'a value that went', mark: ['BREAK'], from: ' | "off"', to: ''},
    {name: 'a new value', mark: ['growth'], from: ' | "off"', to: ' | "off" | "idle"'},
    {
      name: 'a new operation',
      mark: ['growth', 'growth'],
      from: /$/,
      to: 'GET /b: getB\nGET /b in json.x: string, required',
    },
    {name: 'a new answer', mark: ['growth'], from: /$/, to: 'GET /a out 202 json: object'},
    {name: 'a new member of an answer', mark: ['growth'], from: /$/, to: 'GET /a out 200 json.more: string, required'},
    {name: 'a new optional member of a request', mark: ['growth'], from: /$/, to: 'GET /a in json.more: string'},
    {
      name: 'a new required member of a request',
      mark: ['BREAK'],
      from: /$/,
      to: 'GET /a in json.more: string, required',
    },
    {name: 'a new required parameter', mark: ['BREAK'], from: /$/, to: 'GET /a in query more: string, required'},
    {
      name: 'a member of a request that becomes optional',
      mark: ['growth'],
      from: 'name: string, required',
      to: 'name: string',
    },
    {
      name: 'a member of a request that becomes required',
      mark: ['BREAK'],
      from: 'maximum 10',
      to: 'maximum 10, required',
    },
    {name: 'a member of an answer that becomes optional', mark: ['BREAK'], from: '"off", required', to: '"off"'},
    {
      name: 'a member of an answer that becomes required',
      mark: ['growth'],
      from: 'note: string',
      to: 'note: string, required',
    },
    {name: 'a type that went', mark: Array(5).fill('BREAK'), before: TYPES, from: TYPES, to: ''},
    {name: 'a type of another name', mark: ['BREAK', 'growth'], before: '// A\n', from: 'A', to: 'B'},
    {name: 'a member of a type that went', mark: ['BREAK'], before: TYPES, from: /.*key: string;\n/, to: ''},
    {name: 'a member of a type that becomes optional', mark: ['BREAK'], before: TYPES, from: 'key:', to: 'key?:'},
    {name: 'another parameter of a method', mark: ['BREAK'], before: TYPES, from: 'read(key', to: 'read(name'},
    {
      name: 'a new optional member of a type',
      mark: ['growth'],
      before: TYPES,
      from: /}\n$/,
      to: '    readonly x?: string;\n}\n',
    },
    {
      name: 'a new member of a type',
      mark: ['break for makers'],
      before: TYPES,
      from: /}\n$/,
      to: '    readonly x: string;\n}\n',
    },
  ];
  for (const {name, mark, before = BEFORE, from, to} of cases) {
    test(`${name}: ${mark.join(', ') || 'nothing'}`, () => {
      expect(breaksBetween(before, before.replace(from, to)).map(each => each.mark)).toEqual(mark);
    });
  }
});

test('breaks are printed first, with the line before and after', () => {
  const after = BEFORE.replace('GET /a:', 'GET /0: get0\nGET /a:').replace('note: string', 'note: number');
  expect(formatDifferences(breaksBetween(BEFORE, after))).toBe(
    'BREAK:\n  - GET /a out 200 json.note: string\n  + GET /a out 200 json.note: number\ngrowth:\n  + GET /0: get0',
  );
});

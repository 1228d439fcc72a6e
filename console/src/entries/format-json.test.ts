import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {findJsonProblem, formatJson} from './format-json.ts';

describe('formatJson()', () => {
  test('lays out objects and arrays, and keeps the texts of numbers, strings and equal names', () => {
    const text = '{"a":1.0,"a":[9007199254740993,-0,1e400,[],{ }],"b":"\\u0041\\" , {}","c":{"":null}}';
    expect(formatJson(text)).toBe(
      [
        '{',
        '  "a": 1.0,',
        '  "a": [',
        '    9007199254740993,',
        '    -0,',
        '    1e400,',
        '    [],',
        '    {}',
        '  ],',
        '  "b": "\\u0041\\" , {}",',
        '  "c": {',
        '    "": null',
        '  }',
        '}',
      ].join('\n'),
    );
  });

  test('changes the meaning of no JSON, and its own output not at all', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const formatted = formatJson(text);
        expect(JSON.parse(formatted)).toEqual(JSON.parse(text));
        expect(formatJson(formatted)).toBe(formatted);
        expect(formatJson(`\r\n\t${text} `)).toBe(formatted);
      }),
    );
  });
});

describe('findJsonProblem()', () => {
  for (const text of ['null', '1.0', '"a"', ' {"a":1,"a":2} ', '1e400'])
    test(`finds none in ${text}`, () => expect(findJsonProblem(text)).toBeUndefined());
  for (const text of ['', '  ', '{a:1}', '01', '"\n"', '[1,]'])
    test(`finds one in ${JSON.stringify(text)}`, () => expect(findJsonProblem(text)).toBeTypeOf('string'));
});

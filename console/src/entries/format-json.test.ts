import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {findJsonProblem, formatJson, LAID_OUT_MAX, readableJson, toOneLine} from './format-json.ts';

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

describe('readableJson()', () => {
  test('lays out a value on one line, and leaves any other as it is', () => {
    expect(readableJson('{"a":1.0}')).toBe('{\n  "a": 1.0\n}');
    for (const text of ['{"a":\n1}', '[1,\r2]', '1e400', '"a,b"']) expect(readableJson(text)).toBe(text);
  });
});

describe('a value whose indentation would be hundreds of times as long as its text', () => {
  const deep = (count: number): string => `${'['.repeat(250)}${Array(count).fill('0').join()}${']'.repeat(250)}`;

  test('is shown as it is, also if its layout is asked for', () => {
    const text = deep(20_000);
    expect(readableJson(text)).toBe(text);
    expect(formatJson(text)).toBe(text);
  });

  test('is laid out up to the limit', () => {
    expect(readableJson(deep(8000)).length).toBeGreaterThan(LAID_OUT_MAX * 0.9);
  });
});

describe('toOneLine()', () => {
  for (const line of ['{"a":[1.0,-0,"x, y: z"],"b":{}}', '{"a": [1.0, -0, "x, y: z"], "b": {}}', '{"a": [1,2]}'])
    test(`restores ${line} from what is shown`, () => {
      expect(toOneLine(readableJson(line), line)).toBe(line);
    });

  test('leaves out all white space if the value had no rule', () => {
    expect(toOneLine('[\n  1,\n  2\n]', '[ 1,2, 3 ]')).toBe('[1,2]');
  });

  test('restores each value that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const line = JSON.stringify(JSON.parse(text));
        expect(toOneLine(readableJson(line), line)).toBe(line);
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

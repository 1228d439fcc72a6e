import fc from 'fast-check';
import {formatLine, type LineWord} from '../../src/core/failures/copied-line.ts';

/** Texts that a shell reads otherwise than they stand there. */
export const HOSTILE_TEXTS: readonly string[] = [
  ' admin identity:secrets entries:read:x/y',
  'x;{touch,pwned};/y',
  'x|touch pwned',
  'http://a&calc&.example',
  'http://$(touch pwned).example',
  'http://`touch pwned`.example',
  "http://it's.example",
  'http://"a".example',
  'http://a!b.example',
  'http://(a).example',
  'http://{a,b}.example',
  '/api/store/a%2Fb&calc',
  'C:\\Users\\me\\$(calc)',
  'C:\\100%PATH%',
  'C:\\a^b',
  'C:\\a!PATH!b',
  'C:\\a`nb',
  'C:\\dir ö\\x.json',
  'C:\\Program Files (x86)\\a',
  'C:\\ends with\\',
  '@C:\\dir\\x.json',
  'C:\\a\u201cb\u201d & calc',
  'C:\\a\u2018b',
  '/home/it\'s "me" $HOME/a\\b',
  '-rf',
  '--data-dir=/x',
  '-a.b',
  '\u2013dash',
  '--%',
  '--',
  '#no',
  '~',
  '=ls',
  '*',
  '[a-z]',
  'a,b',
  'a=b',
  '',
  ' ',
  '\\',
  '\\"',
  'a\nb',
  'a\tb',
  'a\u001b[201~b',
  'a\u009b201~b',
  'a\u202eb',
  'a\u00a0b',
  'com.example.hello/greeting',
  'http://localhost:5173',
];

const character = fc.oneof(
  fc.constantFrom(...'"\'`$%!^&|<>(){}[];,*?~#@=+-\\/ \t\n:._aZ0'),
  fc.constantFrom(
    '\u2018',
    '\u2019',
    '\u201c',
    '\u201d',
    '\u201e',
    '\u2013',
    '\u202e',
    '\u001b',
    '\u0085',
    '\u00a0',
    'ö',
    '🛩',
  ),
);
const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({unit: character, maxLength: 12}));
const word: fc.Arbitrary<LineWord> = fc.oneof(
  text,
  text.map(outside => ({outside})),
  text.map(body => ({body})),
);

/** Words after a program, of ours and from outside. */
export const WORDS: fc.Arbitrary<readonly LineWord[]> = fc.array(word, {maxLength: 4});

/** A line that stands for words. */
export interface Line {
  readonly line: string;
  readonly words: readonly string[];
}

/** Returns the line for words after a program, and the texts of all words; undefined if there is none. */
export function lineOf(words: readonly LineWord[], platform: string, program = 'crewroom'): Line | undefined {
  const line = formatLine([program, ...words], platform);
  return line === undefined ? undefined : {line, words: [program, ...words.map(textOf)]};
}

/** Returns the text of a word. */
export function textOf(each: LineWord): string {
  if (typeof each === 'string') return each;
  return 'body' in each ? each.body : each.outside;
}

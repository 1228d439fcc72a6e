import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {findPhpMessage} from './diagnosis.ts';

describe('findPhpMessage()', () => {
  const FILE = '/home/air/core/a b.php';
  for (const {name, text, found} of [
    {
      name: 'a warning in HTML',
      text: `<br />\n<b>Warning</b>:  Undefined array key "x" in <b>${FILE}</b> on line <b>12</b><br />\n{}`,
      found: {kind: 'Warning', message: 'Undefined array key "x"', file: FILE, line: '12'},
    },
    {
      name: 'a deprecation in plain text',
      text: `\nDeprecated: strlen(): Passing null in parameter in ${FILE} on line 3\n{"a":1}`,
      found: {kind: 'Deprecated', message: 'strlen(): Passing null in parameter', file: FILE, line: '3'},
    },
    {
      name: 'a parse error, which PHP escapes',
      text: `<br />\n<b>Parse error</b>:  syntax error, unexpected token &quot;)&quot; in <b>${FILE}</b> on line <b>1</b><br />`,
      found: {kind: 'Parse error', message: 'syntax error, unexpected token ")"', file: FILE, line: '1'},
    },
    {
      name: 'a fatal error, whose stack trace may contain secrets',
      text: `<b>Fatal error</b>:  Uncaught Error: no in /x.php:7\nStack trace:\n#0 /x.php(7): login('secret')\n  thrown in <b>/x.php</b> on line <b>7</b>`,
      found: {kind: 'Fatal error', message: 'Uncaught Error: no', file: '/x.php', line: '7'},
    },
    {name: 'a page with another kind of warning', text: '<p>Warning: pilots on line 3', found: undefined},
    {name: 'a message without its line', text: '<b>Notice</b>: x in y', found: undefined},
    {name: 'the empty text', text: '', found: undefined},
  ]) {
    test(`finds ${found === undefined ? 'nothing in' : ''} ${name}`, () => {
      assert.deepEqual(findPhpMessage(text), found);
    });
  }

  for (const {name, part} of [
    {name: 'beginnings', part: '<b>Warning</b>: '},
    {name: 'ends', part: ' on line '},
    {name: 'places', part: ' in '},
    {name: 'open tags', part: '<b>'},
    {name: 'line breaks', part: '\n'},
  ]) {
    test(`searches only the beginning of a text with many ${name}`, () => {
      // Without a complete message in the searched part, nothing is found.
      const text = `${part.repeat((16 * 1024) / part.length + 1)}\nWarning: x in y on line 1`;
      assert.equal(findPhpMessage(text), undefined);
    });
  }
});

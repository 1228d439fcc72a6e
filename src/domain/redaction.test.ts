import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {contains, hideSecrets, Redactor} from './redaction.ts';

const CASES: readonly {
  readonly name: string;
  readonly text: string;
  readonly secrets: readonly string[];
  readonly hidden: string;
}[] = [
  {name: 'a secret', text: 'wrong password: tango', secrets: ['tango'], hidden: 'wrong password: …'},
  {name: 'each occurrence of it', text: 'tango, tangotango', secrets: ['tango'], hidden: '…, ……'},
  {name: 'several secrets', text: 'ada:tango', secrets: ['tango', 'ada'], hidden: '…:…'},
  {name: 'nothing without secrets', text: 'tango', secrets: [], hidden: 'tango'},
  {name: 'nothing for an empty secret', text: 'tango', secrets: [''], hidden: 'tango'},
  {name: 'nothing if the text has only a part of it', text: 'tang', secrets: ['tango'], hidden: 'tang'},
  {name: 'nothing that differs in case', text: 'Tango', secrets: ['tango'], hidden: 'Tango'},
  {name: 'a secret that contains another one as a whole', text: 'tango-2', secrets: ['tango', 'tango-2'], hidden: '…'},
  {name: 'a secret that begins like the text before it', text: 'aaab', secrets: ['aab'], hidden: 'a…'},
  {name: 'a secret whose end is its beginning', text: 'abababa', secrets: ['aba'], hidden: '…b…'},
  {name: 'the whole text', text: 'tango', secrets: ['tango'], hidden: '…'},
];

/** Forms in which a back end repeats `a "b"/ü&<c>'d`. */
const FORMS: Readonly<Record<string, string>> = {
  'as it is': `a "b"/ü&<c>'d`,
  'in JSON': `a \\"b\\"/ü&<c>'d`,
  'in JSON with slashes escaped': `a \\"b\\"\\/ü&<c>'d`,
  'in JSON of PHP, with slashes and letters beyond ASCII escaped': `a \\"b\\"\\/\\u00fc&<c>'d`,
  'in JSON with letters beyond ASCII escaped': `a \\"b\\"/\\u00fc&<c>'d`,
  'in a part of an address': 'a%20%22b%22%2F%C3%BC%26%3Cc%3E%27d',
  'in a part of an address, as encodeURIComponent() writes it': `a%20%22b%22%2F%C3%BC%26%3Cc%3E'd`,
  'in a form': 'a+%22b%22%2F%C3%BC%26%3Cc%3E%27d',
  'in HTML': "a &quot;b&quot;/ü&amp;&lt;c&gt;'d",
  'in HTML of PHP, with the apostrophe escaped': 'a &quot;b&quot;/ü&amp;&lt;c&gt;&#039;d',
};

describe('hideSecrets()', () => {
  for (const {name, text, secrets, hidden} of CASES) {
    test(`hides ${name}`, () => {
      assert.equal(hideSecrets(text, secrets), hidden);
    });
  }

  for (const [name, form] of Object.entries(FORMS)) {
    test(`hides a secret ${name}`, () => {
      assert.equal(hideSecrets(`[${form}]`, [`a "b"/ü&<c>'d`]), '[…]');
    });
  }

  test('hides a character beyond 16 bits as PHP writes it in JSON', () => {
    assert.equal(hideSecrets('{"message":"\\ud83d\\ude00 is wrong"}', ['😀']), '{"message":"… is wrong"}');
  });

  test('hides a secret with every mark that PHP escapes in an address', () => {
    assert.equal(hideSecrets('?p=%21%27%28%29%2A-_.~&q=1', ["!'()*-_.~"]), '?p=…&q=1');
  });

  test('hides a secret with half of a surrogate pair, which addresses cannot have', () => {
    assert.equal(hideSecrets('a\ud800b', ['\ud800']), 'a…b');
    assert.equal(hideSecrets('a%EF%BF%BDb', ['\ud800']), 'a…b');
  });

  test('hides what a search for each form hides, whatever repeats in it', () => {
    const anyText = fc.string({unit: fc.constantFrom('a', 'b'), maxLength: 30});
    const anySecret = fc.string({unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6});
    fc.assert(
      fc.property(anyText, anySecret, (text, secret) => {
        assert.equal(hideSecrets(text, [secret]), text.split(secret).join('…'));
      }),
      {numRuns: 500},
    );
  });

  test('leaves none of the secrets in the text', () => {
    const anyPart = fc.string({unit: fc.constantFrom(...'ab"/&<> é%+'), maxLength: 4});
    const anySecret = fc.string({unit: fc.constantFrom(...'ab"/&<> é%+'), minLength: 1, maxLength: 4});
    fc.assert(
      fc.property(
        fc.array(anyPart, {maxLength: 5}),
        fc.array(anySecret, {minLength: 1, maxLength: 3}),
        (parts, secrets) => {
          const hidden = hideSecrets(parts.join(secrets[0]), secrets);
          for (const secret of secrets) assert.equal(hidden.includes(secret), false, hidden);
        },
      ),
      {numRuns: 300},
    );
  });

  describe('with a maximum length', () => {
    const cases: readonly {
      readonly name: string;
      readonly text: string;
      readonly lengthMax: number;
      readonly hidden: string;
    }[] = [
      {name: 'keeps a text of that length', text: '1234567890', lengthMax: 10, hidden: '1234567890'},
      {name: 'hides a secret at the end of a text of that length', text: '12345tango', lengthMax: 10, hidden: '12345…'},
      {
        name: 'cuts as much as a secret could take from a longer text',
        text: '12345678901',
        lengthMax: 10,
        hidden: '12345',
      },
      {name: 'leaves no part of a secret that crosses the cut', text: '123456tango', lengthMax: 10, hidden: '12345'},
      {name: 'leaves nothing of a text that is cut within the first secret', text: 'tango', lengthMax: 4, hidden: ''},
      {name: 'leaves nothing of a text without length', text: 'x', lengthMax: 0, hidden: ''},
    ];
    for (const {name, text, lengthMax, hidden} of cases) {
      test(name, () => {
        assert.equal(hideSecrets(text, ['tango'], lengthMax), hidden);
      });
    }

    test('keeps all of it without secrets', () => {
      assert.equal(hideSecrets('1234567890', [], 4), '1234');
    });

    test('never leaves the beginning of a secret at the end, wherever the text is cut', () => {
      const text = 'x tango y tango z';
      for (let lengthMax = 0; lengthMax <= text.length; lengthMax++)
        assert.doesNotMatch(hideSecrets(text, ['tango'], lengthMax), /t|a|n|g|o/);
    });
  });
});

describe('Redactor', () => {
  test('hides secrets in one text after another', () => {
    const redactor = new Redactor(['tango']);
    assert.deepEqual(
      ['tango', 'x', 'a tango', 'tan', 'go'].map(text => redactor.hide(text)),
      ['…', 'x', 'a …', 'tan', 'go'],
    );
  });
});

describe('contains()', () => {
  test('finds what String.prototype.includes() finds', () => {
    const anyText = fc.string({unit: fc.constantFrom('a', 'b'), maxLength: 20});
    fc.assert(
      fc.property(anyText, anyText, (text, part) => {
        fc.pre(part !== '');
        assert.equal(contains(text, part), text.includes(part));
      }),
      {numRuns: 500},
    );
  });

  test('finds a part of a thousand letters in two hundred thousand in linear time', () => {
    const part = `${'a'.repeat(500)}b${'a'.repeat(500)}`;
    assert.equal(contains('a'.repeat(200_000), part), false);
    assert.equal(contains('a'.repeat(200_000) + part, part), true);
  });
});

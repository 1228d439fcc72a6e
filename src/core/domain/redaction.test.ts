import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {contains, hideSecrets, Redactor, withoutSecrets} from './redaction.ts';

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

test('withoutSecrets() removes the secret of a page wherever its name is', () => {
  const secret = '0123456789abcdef0123456789abcdef';
  const host = `com-a-${secret}.crewroom.localhost`;
  const text = `at http://${host}:7172/plugins/com.a/app.js, ${host.toUpperCase()}, x.${host}`;
  expect(withoutSecrets(text).toLowerCase()).not.toContain(secret);
  expect(withoutSecrets(host.toUpperCase())).not.toContain(secret.toUpperCase());
  expect(withoutSecrets(`http://${host}:7172`)).toBe('http://com-a-….crewroom.localhost:7172');
  for (const other of ['', 'http://com-a-1234abcd1234abcd.crewroom.localhost:7172', `a-${secret}.example`])
    expect(withoutSecrets(other)).toBe(other);
});

test('withoutSecrets() removes it from malformed and cut names too', () => {
  const secret = '0123456789abcdef0123456789abcdef';
  for (const end of [
    '..crewroom.localhost',
    'crewroom.localhost',
    '.crewroom.localhos',
    '%2Ecrewroom.localhost',
    '.localhost:7172',
    ' .crewroom',
  ])
    for (const length of [32, 31, 17]) {
      const text = withoutSecrets(`http://com-a-${secret.slice(0, length)}${end}/x`);
      expect(text).not.toContain(secret.slice(0, 15));
      expect(text).toContain('http://com-a-…');
    }
});

describe('withoutSecrets() removes a token', () => {
  const token = `crewroom_${'aB3_-'.repeat(9).slice(0, 43)}`;
  for (const {name, text} of [
    {name: 'in a path', text: token},
    {name: 'with an encoded character', text: token.replace('_', '%5F')},
    {name: 'encoded twice', text: token.replace('_', '%255f').replace('-', '%252D')},
    {name: 'with all characters encoded', text: encoded(token)},
    {name: 'with all characters encoded in capitals', text: encoded(token).toUpperCase()},
    {name: 'that is too long', text: `${token}xyz`},
    {name: 'that is cut', text: token.slice(0, 9 + 22)},
  ])
    test(name, () => {
      expect(withoutSecrets(`/api/store/${text}/a?${text}=${text}`)).toBe('/api/store/…/a?…=…');
    });

  test('and nothing that only looks alike', () => {
    for (const text of ['crewroom_', `crewroom_${'a'.repeat(21)}`, `crewroom-${'a'.repeat(43)}`, `_${'a'.repeat(43)}`])
      expect(withoutSecrets(text)).toBe(text);
  });

  test('in linear time', () => {
    for (const part of ['crewroom_', '%25', '%2525', 'crewroom_aaaaaaaaaaaaaaaaaaaaa%', 'c%72'])
      expect(withoutSecrets(part.repeat(200_000)).length).toBeGreaterThan(0);
  });
});

function encoded(text: string): string {
  return text.replaceAll(/./g, character => `%${character.charCodeAt(0).toString(16)}`);
}

import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {cut} from '../../../../test/support/chunks.ts';
import {SECRET_LENGTH_MIN} from '../../../core/domain/identity/identity-secrets.ts';
import {LogLineSplitter} from './log-reader.ts';
import {LOGGED_LENGTH_MAX, Secrets} from './secrets.ts';

/** Returns the secrets of an identity with this session and token. */
function secretsOf(session: string, token = ''): Secrets {
  const secrets = new Secrets();
  learn(secrets, session, token);
  return secrets;
}

function learn(secrets: Secrets, session: string, token = ''): void {
  secrets.learn(Buffer.from(JSON.stringify({va_user: {session}, other_design_user: {token}, airline: {}})));
}

describe('Secrets', () => {
  const session = 'a/b+c "d"\\=ü&<e>';
  const forms = [
    {name: 'unchanged', text: session},
    {name: 'as JSON', text: JSON.stringify(session)},
    {name: 'as JSON with escaped slashes', text: JSON.stringify(session).replaceAll('/', '\\/')},
    {name: 'as a part of an address', text: encodeURIComponent(session)},
    {name: 'as a field of a form', text: new URLSearchParams({session}).toString()},
  ];
  for (const {name, text} of forms) {
    test(`masks a session ${name}`, () => {
      assert.match(secretsOf(session).mask(`GET ${text} failed`), /^GET (session=)?"?…"? failed$/);
    });
  }

  test('masks the token of a platform of any brand', () => {
    assert.equal(secretsOf('', 'token-of-the-platform').mask('token-of-the-platform!'), '…!');
  });

  test('masks tokens of backgrounds until they are forgotten, and sessions beside any number of them', () => {
    const secrets = secretsOf('the-first-session');
    for (let start = 0; start < 300; start++) secrets.remember(`token-of-start-${start}!`);
    assert.equal(secrets.mask('the-first-session, token-of-start-0!'), '…, …');
    secrets.forget('token-of-start-0!');
    assert.equal(secrets.mask('token-of-start-0! token-of-start-299!'), 'token-of-start-0! …');
  });

  test('still masks a session that was followed by another', () => {
    const secrets = secretsOf('the-first-session');
    learn(secrets, 'the-second-session');
    assert.equal(secrets.mask('the-first-session the-second-session'), '… …');
  });

  test('leaves words alone that are as short as a test account has them', () => {
    assert.equal(secretsOf('session').mask('no session'), 'no session');
  });

  const identities = [
    '{}',
    '[]',
    'null',
    '{"va_user":null}',
    '{"va_user":{"session":12345678}}',
    '{"x_design_user":[]}',
  ];
  for (const identity of identities) {
    test(`learns nothing from ${identity}`, () => {
      const secrets = new Secrets();
      secrets.learn(Buffer.from(identity));
      assert.equal(secrets.mask('12345678'), '12345678');
    });
  }

  test('cuts a long line after masking, so that no half of a secret is left', () => {
    const secret = 'x'.repeat(200);
    const shown = secretsOf(secret).mask(
      `${'-'.repeat(LOGGED_LENGTH_MAX - 100)}${secret}${'-'.repeat(LOGGED_LENGTH_MAX)}`,
    );
    assert.equal(shown, `${'-'.repeat(LOGGED_LENGTH_MAX - 100)}…${'-'.repeat(99)}…`);
  });

  test('lets no secret through, however a line is written, encoded and cut into chunks', () => {
    const secret = fc.string({unit: 'binary', minLength: SECRET_LENGTH_MIN, maxLength: 40}).filter(isUsual);
    const encodings = fc.constantFrom(
      (text: string) => text,
      (text: string) => JSON.stringify(text),
      (text: string) => encodeURIComponent(text),
      (text: string) => new URLSearchParams({text}).toString(),
    );
    const line = fc.tuple(fc.string(), encodings, fc.string());
    const sizes = fc.infiniteStream(fc.integer({min: 1, max: 50}));
    fc.assert(
      fc.property(secret, fc.array(line), sizes, (hidden, parts, chunks) => {
        const secrets = secretsOf(hidden);
        const bytes = Buffer.from(parts.map(([before, encode, after]) => before + encode(hidden) + after).join(' '));
        const shown = readLines(bytes, chunks).map(each => secrets.mask(each));
        for (const each of shown)
          for (const form of [hidden, encodeURIComponent(hidden)]) assert.ok(!each.includes(form));
      }),
    );
  });

  /** Well-formed, on one line, and without the sign that replaces it. */
  function isUsual(secret: string): boolean {
    return secret.isWellFormed() && !/[\n…]/.test(secret) && secret.length >= SECRET_LENGTH_MIN;
  }

  function readLines(bytes: Uint8Array, sizes: Iterator<number>): readonly string[] {
    const splitter = new LogLineSplitter();
    const lines = [...cut(bytes, sizes)].flatMap(chunk => splitter.split(chunk));
    return [...lines, ...splitter.end()];
  }
});

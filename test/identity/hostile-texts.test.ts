import {describe, expect, onTestFinished, test} from 'vitest';
import {AppError} from '../../src/core/failures/app-error.ts';
import {type BackEndClient, createBackEndClient} from '../../src/service/identity/backend/back-end-client.ts';
import {BACK_END_ANSWER_BYTES_MAX} from '../../src/service/identity/backend/request/back-end-request.ts';
import {type BackEndAnswer, jsonAnswer, startBackEndServer} from '../support/back-end-server.ts';
import {expectLinearTime} from '../support/cpu-time.ts';

const client = createBackEndClient({fetch, userAgent: 'Crewroom/test'});

/** A secret for which a search with backtracking compares half of the pattern again and again. */
const SECRET = `${'a'.repeat(511)}b${'a'.repeat(512)}`;

/** Worst cases for a reader with backtracking, each repeated to the size limit. */
const PAGES = {
  'marks that begin': '<title',
  'one title after another': '<title>',
  'brackets that open': '<',
  'marks without an end': '<title <',
  breaks: '<br />',
  'breaks that begin': '<br /',
  'white space': ' \t\r\n',
  'what cannot be seen': '\u202e\u0000',
  'a text like the secret': 'a',
  quotes: '"',
  backslashes: '\\',
} as const satisfies Record<string, string>;

const CALLS = {
  probe: (backEnd: BackEndClient, scriptURL: string) => backEnd.probe(scriptURL, {secrets: [SECRET]}),
  'sign-in': (backEnd: BackEndClient, scriptURL: string) =>
    backEnd.signIn(scriptURL, {username: '1', password: SECRET}),
  resume: (backEnd: BackEndClient, scriptURL: string) => backEnd.resume(scriptURL, SECRET),
  verify: (backEnd: BackEndClient, scriptURL: string) => backEnd.verify(scriptURL, SECRET),
} as const satisfies Record<string, (backEnd: BackEndClient, scriptURL: string) => Promise<unknown>>;

/** Starts a back end that answers every request with this. @returns Its address. */
async function answering(answer: BackEndAnswer): Promise<string> {
  const server = await startBackEndServer(() => answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.scriptURL;
}

/** Expects that a sign-in at the back end of this address fails. */
async function expectRefusal(scriptURL: string): Promise<void> {
  await expect(client.signIn(scriptURL, {username: '1', password: SECRET})).rejects.toThrow(AppError);
}

describe('the largest answer takes linear time', () => {
  for (const [name, text] of Object.entries(PAGES)) {
    for (const [call, run] of Object.entries(CALLS)) {
      test(`${name}: ${call}`, async () => {
        for (const begin of ['', '<html>']) {
          const body = begin + text.repeat((BACK_END_ANSWER_BYTES_MAX - begin.length) / Buffer.byteLength(text));
          for (const status of [200, 401, 500]) {
            const scriptURL = await answering({status, headers: {'Content-Type': 'text/html'}, body});
            await expectLinearTime(() => expect(run(client, scriptURL)).rejects.toThrow(AppError));
          }
        }
      });
    }
  }

  const PILOT = {
    ...{dbID: 1, pilotID: 'A1', firstName: 'A', lastName: 'B', email: '', rank: '', rankImage: null, rankLevel: 1},
    ...{avatar: null, session: 'opaque-session'},
  };
  const members = JSON.stringify(Object.fromEntries(Array.from({length: 90_000}, (_, index) => [`k${index}`, 1])));
  for (const status of [200, 401, 500]) {
    test(`JSON: a pilot with 90,000 members, and status ${status}`, async () => {
      const scriptURL = await answering({status, body: `${JSON.stringify(PILOT).slice(0, -1)},${members.slice(1)}`});
      await expectLinearTime(() => expectRefusal(scriptURL));
    });
  }

  test('a session that is too long for a header is refused', async () => {
    const scriptURL = await answering(jsonAnswer(200, {...PILOT, session: 'x'.repeat(8001)}));
    await expect(client.signIn(scriptURL, {username: '1', password: 'x'})).rejects.toMatchObject({
      failure: {code: 'invalid-pilot', problems: [{path: '$.session', problem: 'is longer than 8000 characters'}]},
    });
  });

  test('a message: a text like the secret', async () => {
    const scriptURL = await answering(jsonAnswer(401, {message: 'a'.repeat(BACK_END_ANSWER_BYTES_MAX - 20)}));
    await expectLinearTime(() => expectRefusal(scriptURL));
  });

  for (const [name, location] of Object.entries({
    'slashes and a name': `/x${'/'.repeat(15_000)}x`,
    'a text like the secret': `/${'a'.repeat(15_000)}`,
  })) {
    test(`a redirect: ${name}`, async () => {
      const scriptURL = await answering({status: 302, headers: {Location: location}, body: ''});
      await expectLinearTime(() => expectRefusal(scriptURL));
    });
  }
});

describe('what is shown of a hostile answer', () => {
  test('is the title at the beginning of a page, without its tag', async () => {
    const table = [
      ['<TITLE\nlang="en">Over &amp; out</title>', 'it answers with a page titled "Over &amp; out"'],
      ['<title><title>Twice', 'it answers with HTML'],
      ['<title>', 'it answers with HTML'],
      ['<title', 'it answers with HTML'],
      ['<titles>Many</titles>', 'it answers with HTML'],
      [`${' '.repeat(70_000)}<title>Late</title>`, 'it answers with HTML'],
    ] as const;
    for (const [text, problem] of table) {
      const scriptURL = await answering({status: 200, body: `<html>${text}`});
      await expect(client.probe(scriptURL)).rejects.toMatchObject({
        failure: {code: 'back-end-failed', stage: 'content', problem},
      });
    }
  });

  test('is not a part of a secret where the text is cut', async () => {
    const password = 'correct-horse-battery-staple';
    for (const spaces of [12_780, 12_790, 65_515, 65_525]) {
      for (const repeats of [0, 1, 100]) {
        const text = `${password.repeat(repeats)}${' '.repeat(spaces)}${password}${' '.repeat(70_000)}`;
        for (const answer of [jsonAnswer(401, {message: text}), {status: 401, body: text}]) {
          const scriptURL = await answering(answer);
          const error = await client.signIn(scriptURL, {username: '1', password}).catch((error: unknown) => error);
          expect((error as AppError).code).toMatch(/wrong-credentials|back-end-failed/);
          expect(JSON.stringify(error)).not.toMatch(/cor/);
        }
      }
    }
  });
});

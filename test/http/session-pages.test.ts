import {describe, expect, test} from 'vitest';
import {callService, useService} from '../support/service.ts';

const service = useService({ephemeral: true});

/** Signs in at a back end that the sender names, where nothing listens. */
async function signIn(headers: readonly string[] = []): Promise<Readonly<Record<string, unknown>>> {
  const body = '{"username": "1", "password": "secret", "scriptURL": "http://127.0.0.1:1/"}';
  return (await callService(service(), 'POST /api/session', {headers, body})).json;
}

describe('the back end of a sign-in', () => {
  test('is named by programs', async () => {
    expect(await signIn()).toMatchObject({code: 'back-end-failed'});
  });

  for (const mark of ['Origin: http://localhost:PORT', 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: none'])
    test(`is not named by pages, which send ${mark}`, async () => {
      expect(await signIn([mark.replace('PORT', `${service().port}`)])).toMatchObject({
        code: 'invalid-body',
        what: 'sign-in',
        problems: [{path: '$.scriptURL', problem: expect.stringContaining('programs only')}],
      });
    });
});

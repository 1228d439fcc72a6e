import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {ADA} from '../support/pilots.ts';
import {createMachine} from '../support/session-service.ts';

const machine = (): ReturnType<typeof createMachine> => createMachine();

describe('a partial profile', () => {
  const partial = [
    {
      name: 'with one member of the pilot',
      text: '{"va_user": {"rank": "Cadet"}}',
      served: {va_user: {...SAMPLE_DOCUMENT.va_user, rank: 'Cadet'}, airline: SAMPLE_DOCUMENT.airline},
      filled: ['$.airline', '$.va_user.dbID', '$.va_user.session'],
    },
    {
      name: 'that is empty, but for a comment',
      text: '{ // nothing yet\n}',
      served: {va_user: SAMPLE_DOCUMENT.va_user, airline: SAMPLE_DOCUMENT.airline},
      filled: ['$.va_user', '$.airline'],
    },
    {
      name: 'with null, another account, and members that the service does not know',
      text: '{"airline": {"settings": {"logo": null, "discordURL": 9007199254740993}}, "vendor_design_user": {"id": 7}, "x": 1.0}',
      served: {
        va_user: SAMPLE_DOCUMENT.va_user,
        vendor_design_user: {...SAMPLE_DOCUMENT.vendor_design_user, id: 7},
        airline: {
          ...SAMPLE_DOCUMENT.airline,
          settings: {...SAMPLE_DOCUMENT.airline.settings, discordURL: 9007199254740992},
        },
        x: 1,
      },
      filled: ['$.va_user', '$.airline.settings.scriptURL', '$.vendor_design_user.token'],
    },
  ];
  for (const {name, text, served, filled} of partial)
    test(`${name} is merged over the sample, and said to be`, async () => {
      const {start, directory} = await machine();
      const profile = join(directory, 'profile.json');
      await writeFile(profile, text);
      const service = await start({profile});
      const identity = await (await fetch(`${service.url}/api/identity`)).text();
      expect(JSON.parse(identity)).toEqual(served);
      const long = text.includes('9007199254740993') ? '"discordURL": 9007199254740993}' : '';
      expect(identity).toContain(long);
      const readiness = await (await fetch(`${service.url}/readyz`)).json();
      expect(readiness).toMatchObject({identity: {source: 'profile', filled: expect.arrayContaining(filled)}});
      expect(await readFile(profile, 'utf8')).toBe(text);
    });

  test('that is whole names nothing', async () => {
    const {start, directory} = await machine();
    const profile = join(directory, 'profile.json');
    await writeFile(profile, JSON.stringify(SAMPLE_DOCUMENT));
    const service = await start({profile});
    expect(await (await fetch(`${service.url}/readyz`)).json()).not.toHaveProperty('identity.filled');
  });

  test('with a wrong member is refused for that member alone', async () => {
    const {start, directory} = await machine();
    const profile = join(directory, 'profile.json');
    await writeFile(profile, '{"va_user": {"rank": 7}}');
    await expect(start({profile})).rejects.toMatchObject({
      failure: {code: 'invalid-profile', problems: [{path: '$.va_user.rank'}]},
    });
  });

  test('sends no password to an address that was filled in', async () => {
    const {start, directory} = await machine();
    const profile = join(directory, 'profile.json');
    await writeFile(profile, '{"va_user": {"rank": "Cadet"}}');
    const called: string[] = [];
    const fetchNothing: typeof globalThis.fetch = async request => {
      called.push(String(request));
      return new Response('', {status: 404});
    };
    const service = await start({profile}, {fetch: fetchNothing});
    await expect(service.client.sessions.signIn({username: '1', password: ADA.password})).rejects.toMatchObject({
      failure: {code: 'invalid-body', what: 'sign-in', problems: [{path: '$.scriptURL'}]},
    });
    expect(called).toEqual([]);
  });
});

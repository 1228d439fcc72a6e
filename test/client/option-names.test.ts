import {describe, expect, test} from 'vitest';
import {createClient} from '../../src/client/client.ts';
import type {ClientEntries} from '../../src/client/client-entries.ts';
import {createService} from '../../src/client/service/service.ts';
import {createTransfer} from '../../src/client/transfer/http-transfer.ts';
import type {SignIn} from '../../src/core/domain/identity/identity.ts';
import {openTestService} from '../support/service.ts';

/** Counts the requests of a client. */
function countRequests() {
  const sent: string[] = [];
  const options = {
    fetch: async (request: Request) => {
      sent.push(request.url);
      return new Response('{}', {headers: {'Crewroom-API': '1'}});
    },
  };
  return {sent, client: createClient(options), service: createService(options), transfer: createTransfer(options)};
}

/** An option that the types do not have, as a program in JavaScript writes it. */
function misspelt(options: object): never {
  return options as never;
}

const MISSPELT_TIMEOUT = {timeout: 5};
const SIGN_IN: SignIn = {username: '1', password: 'x'};

type Counted = ReturnType<typeof countRequests>;

const CALLS: readonly {
  readonly name: string;
  readonly call: (counted: Counted) => unknown;
  readonly unknown: string;
  /** A name that it has, or some. */
  readonly known: string;
}[] = [
  {
    name: 'entries.get()',
    call: ({client}) => client.entries.get('a', misspelt(MISSPELT_TIMEOUT)),
    unknown: 'timeout',
    known: 'timeoutMs',
  },
  {
    name: 'entries.touch()',
    call: ({client}) => client.entries.touch('a', null, misspelt({expected: 1})),
    unknown: 'expected',
    known: 'signal, timeoutMs',
  },
  {
    name: 'entries.transact()',
    call: ({client}) => client.entries.transact({operations: []}, misspelt({checks: []})),
    unknown: 'checks',
    known: 'signal, timeoutMs',
  },
  {
    name: 'identity()',
    call: ({client}) => client.identity(misspelt(MISSPELT_TIMEOUT)),
    unknown: 'timeout',
    known: 'timeoutMs',
  },
  {
    name: 'events()',
    call: ({client}) => client.events(misspelt({onConnected: () => {}})),
    unknown: 'onConnected',
    known: 'onConnection',
  },
  {
    name: 'sessions.signIn() in what is sent',
    call: ({service}) => service.sessions.signIn(misspelt({...SIGN_IN, scriptUri: 'https://other.example'})),
    unknown: 'scriptUri',
    known: 'scriptURL',
  },
  {
    name: 'sessions.signIn()',
    call: ({service}) => service.sessions.signIn(SIGN_IN, misspelt(MISSPELT_TIMEOUT)),
    unknown: 'timeout',
    known: 'timeoutMs',
  },
  ...(['status', 'verify', 'signOut'] as const).map(name => ({
    name: `sessions.${name}()`,
    call: ({service}: Counted) => service.sessions[name](misspelt(MISSPELT_TIMEOUT)),
    unknown: 'timeout',
    known: 'timeoutMs',
  })),
  {
    name: 'requests.read()',
    call: ({service}) => service.requests.read(undefined, misspelt(MISSPELT_TIMEOUT)),
    unknown: 'timeout',
    known: 'timeoutMs',
  },
  {
    name: 'requests.follow()',
    call: ({service}) => service.requests.follow(misspelt({sinc: '1'})),
    unknown: 'sinc',
    known: 'after',
  },
  {
    name: 'origins.list()',
    call: ({service}) => service.origins.list(misspelt(MISSPELT_TIMEOUT)),
    unknown: 'timeout',
    known: 'timeoutMs',
  },
  {
    name: 'origins.allow()',
    call: ({service}) => service.origins.allow('http://a.example', misspelt(MISSPELT_TIMEOUT)),
    unknown: 'timeout',
    known: 'timeoutMs',
  },
  ...(['about', 'readiness'] as const).map(name => ({
    name: `${name}()`,
    call: ({service}: Counted) => service[name](misspelt(MISSPELT_TIMEOUT)),
    unknown: 'timeout',
    known: 'timeoutMs',
  })),
  {
    name: 'export()',
    call: ({transfer}) => transfer.export(misspelt({perfix: 'a'})),
    unknown: 'perfix',
    known: 'prefix',
  },
  {
    name: 'import()',
    call: ({transfer}) => transfer.import([], misspelt({dryrun: true})),
    unknown: 'dryrun',
    known: 'dryRun',
  },
];

describe('an unknown option is refused before anything is sent, with those that it has, by', () => {
  for (const {name, call, unknown, known} of CALLS)
    test(name, async () => {
      const counted = countRequests();
      await expect((async () => call(counted))()).rejects.toMatchObject({
        failure: {
          code: 'invalid-parameter',
          parameter: unknown,
          problem: expect.stringMatching(new RegExp(`^the operation has no such parameter; it has .*\\b${known}\\b`)),
        },
      });
      expect(counted.sent).toEqual([]);
    });

  for (const create of [createClient, createService, createTransfer])
    test(`${create.name}()`, () => {
      expect(() => create(misspelt({url: 'http://localhost:8000'}))).toThrow(
        'Cannot use the parameter "url": the operation has no such parameter; it has baseUrl, token,',
      );
    });

  test('calls of an embedded service that have no options', async () => {
    await using crewroom = await openTestService({ephemeral: true, port: 0});
    const entries = crewroom.entries as unknown as ClientEntries;
    await entries.put('a', 1, {ttlSeconds: 60});
    const refused = {failure: {code: 'invalid-parameter', problem: 'the operation has no such parameter; it has none'}};
    await expect(entries.touch('a', null, misspelt({expected: 9}))).rejects.toMatchObject(refused);
    const checks = misspelt({checks: [{key: 'a', expected: 'absent'}]});
    const removal = {operations: [{kind: 'delete', key: 'a'}]} as const;
    await expect(entries.transact(removal, checks)).rejects.toMatchObject(refused);
    expect(await entries.get('a')).toMatchObject({text: '1', expiresAtMs: expect.any(Number)});
    await entries.touch('a', null, {});
    await entries.transact(removal, {});
    expect(await entries.get('a')).toBe(undefined);
  });

  test('sessions and requests of an embedded service', async () => {
    await using crewroom = await openTestService({ephemeral: true, port: 0});
    const {sessions, requests} = crewroom;
    await expect(sessions.signIn(misspelt({...SIGN_IN, scriptUri: 'x'}))).rejects.toThrow('it has scriptURL, ');
    await expect(sessions.signIn(SIGN_IN, misspelt({signl: undefined}))).rejects.toThrow('it has signal, ');
    expect(() => requests.follow(misspelt({sinc: '1'}))).toThrow('it has after, ');
  });
});

test('an option that is undefined has its default, in each client', () => {
  const none = {baseUrl: undefined, timeoutMs: undefined, token: undefined, allowPlainHttp: undefined};
  const options = {...none, signal: undefined, attemptsMax: undefined, fetch: undefined};
  for (const create of [createClient, createService, createTransfer]) expect(() => create(options)).not.toThrow();
});

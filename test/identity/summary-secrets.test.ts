import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {startedFields} from '../../src/cli/output/banner.ts';
import type {Identity, IdentityDocument, IdentitySource} from '../../src/core/domain/identity/identity.ts';
import {parseJsonText} from '../../src/core/json/json-text.ts';
import {readBackEndPilot} from '../../src/service/identity/backend/pilot.ts';
import {openProfileSource} from '../../src/service/identity/profile-source.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {testIdentitySource} from '../../src/workbench/testing/index.ts';
import {openTestService} from '../support/service.ts';

const SESSION = 'session-of-the-pilot';
const TOKEN = 'token-of-the-platform';
const {va_user: pilot} = SAMPLE_DOCUMENT;

/** Returns a document with these secrets. */
function documentOf(members: Partial<IdentityDocument['va_user']> = {}): object {
  return {...SAMPLE_DOCUMENT, tfdi_design_user: {token: TOKEN}, va_user: {...pilot, session: SESSION, ...members}};
}

/** A source of a program, whose summary is a text of its own. */
function sourceOf(summary: string): IdentitySource {
  const identity: Identity = {json: Buffer.from(JSON.stringify(documentOf())), summary};
  return {
    origin: {kind: 'profile', file: 'program'},
    current: () => identity,
    onChange: () => () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Runs the contract, and returns the reasons why its tests fail. */
async function failuresOf(summary: string): Promise<readonly string[]> {
  const bodies: (() => Promise<void>)[] = [];
  testIdentitySource({
    name: 'a source',
    open: async () => sourceOf(summary),
    describe: (_, body) => body(),
    test: (_, body) => bodies.push(body),
  });
  const runs = await Promise.allSettled(bodies.map(body => body()));
  return runs.flatMap(run => (run.status === 'rejected' ? [String(run.reason.message)] : []));
}

const LEAKS = [`Ada (${SESSION})`, `Ada ${TOKEN}`, `Ada ${encodeURIComponent(JSON.stringify(SESSION))}`];

describe('the summary of an identity', () => {
  for (const summary of LEAKS)
    test(`fails the contract of identity sources if it is ${summary}`, async () => {
      const [failure, ...others] = await failuresOf(summary);
      expect(failure).toMatch(/The summary contains the session, or a token: Ada .*…/);
      expect(failure).not.toMatch(/-of-the-/);
      expect(others).toEqual([]);
    });

  test('passes it without them', async () => {
    expect(await failuresOf('Ada Quill')).toEqual([]);
  });

  for (const summary of LEAKS)
    test(`is masked for the log and for pages if it is ${summary}`, async () => {
      await using crewroom = await openTestService(
        {ephemeral: true, port: 0},
        {openIdentity: async () => sourceOf(summary)},
      );
      const identity = crewroom.identitySource.current();
      expect(identity?.summary).toMatch(/^Ada .*…/);
      expect(crewroom.identitySource.current()).toBe(identity);
      const listening = await crewroom.listen();
      const shown = [
        JSON.stringify(startedFields({crewroom, ...listening}, 1)),
        JSON.stringify(await crewroom.sessions.status()),
        await (await crewroom.fetch(new Request(`${crewroom.url}/readyz`))).text(),
      ];
      for (const text of shown) {
        expect(text).toContain('Ada ');
        expect(text).not.toMatch(/-of-the-/);
      }
    });

  test('is masked in what a profile logs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crewroom-summary-'));
    onTestFinished(() => rm(folder, {recursive: true}));
    const file = join(folder, 'profile.json');
    const write = (lastName: string): Promise<void> =>
      writeFile(file, JSON.stringify(documentOf({firstName: SESSION, lastName})));
    await write(TOKEN);
    const lines: string[] = [];
    const keep = (message: string, about: object = {}): void => void lines.push(JSON.stringify([message, about]));
    await using source = await openProfileSource({file, log: {error: keep, info: keep, debug: keep}});
    expect(source.current()?.summary).toMatch(/^… … \(/);
    const changed = new Promise<void>(resolve => source.onChange(resolve));
    await write(`Quill ${TOKEN}`);
    await changed;
    expect(lines.join()).toContain('… Quill …');
    expect(lines.join()).not.toMatch(/-of-the-/);
  });

  test('is masked in what is said of the pilot of a back end', () => {
    const json = parseJsonText(Buffer.from(JSON.stringify({...pilot, session: SESSION, firstName: SESSION})));
    expect(readBackEndPilot(json)).toMatchObject({pilot: {summary: expect.stringMatching(/^… /)}});
  });
});

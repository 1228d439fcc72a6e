import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {SAMPLE_PILOT_NAMES} from '../../core/domain/identity/pilots.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {testIdentitySource} from '../../workbench/testing/index.ts';
import {readIdentityDocument} from './identity-document.ts';
import {SAMPLE_DOCUMENT} from './sample-document.ts';
import {listSamplePilots, readSamplePilot, SampleSource} from './sample-pilots.ts';

const open = () => new SampleSource(SILENT_LOG);

testIdentitySource({
  name: 'a sample pilot',
  open: async () => open(),
  change: async source => {
    assert.ok(source instanceof SampleSource);
    source.usePilot('first-officer');
  },
  describe,
  test,
});

/** A document as plugins see it. */
interface Served {
  readonly va_user: {readonly session: string; readonly rankImage: unknown; readonly expiry?: number};
  readonly airline: {
    readonly settings: {readonly maintenanceMode: boolean; readonly maintenanceModeMessage: unknown};
    readonly plugins: readonly {readonly appliedSettings: unknown}[];
  };
}

function documentOf(name: (typeof SAMPLE_PILOT_NAMES)[number]): Served {
  const identity = readSamplePilot(name);
  assert.ok(identity, name);
  return JSON.parse(new TextDecoder().decode(identity.json));
}

const PRESENT = SAMPLE_PILOT_NAMES.filter(name => name !== 'signed-out');

describe('the sample pilots', () => {
  for (const name of PRESENT)
    test(`${name} is an identity document`, async () => {
      const reading = readIdentityDocument(new TextEncoder().encode(JSON.stringify(documentOf(name))));
      assert.deepEqual('problems' in reading ? reading.problems : [], []);
    });

  test('are all listed, with the pilot in one line', () => {
    const listed = listSamplePilots();
    assert.deepEqual(
      listed.map(({name}) => name),
      SAMPLE_PILOT_NAMES,
    );
    assert.deepEqual(
      listed.filter(({summary}) => summary === undefined).map(({name}) => name),
      ['signed-out'],
    );
    for (const {summary = '', description} of listed) assert.doesNotMatch(summary + description, /\n/);
  });

  test('have sessions of their own, so that plugins notice a switch', () => {
    const sessions = PRESENT.map(name => documentOf(name).va_user.session);
    assert.equal(new Set(sessions).size, PRESENT.length);
  });

  test('have the shapes that their descriptions name', () => {
    assert.equal(JSON.stringify(documentOf('captain')), JSON.stringify(SAMPLE_DOCUMENT));
    assert.equal(readSamplePilot('signed-out'), undefined);
    const nulls = JSON.stringify(documentOf('first-officer')).match(/:null/g);
    assert.equal(nulls?.length, 8);
    assert.deepEqual(documentOf('first-officer').airline.plugins, []);
    assert.deepEqual(Object.keys(documentOf('no-account')), ['va_user', 'airline']);
    const branded = documentOf('other-brand');
    assert.deepEqual(Object.keys(branded), ['tfdi_design_user', 'va_user', 'airline']);
    assert.deepEqual([branded.va_user.expiry, branded.airline.plugins[0]?.appliedSettings], [4_102_444_800, []]);
    const {maintenanceMode, maintenanceModeMessage} = documentOf('maintenance').airline.settings;
    assert.deepEqual([maintenanceMode, typeof maintenanceModeMessage], [true, 'string']);
    assert.ok((readSamplePilot('long-names')?.summary.length ?? 0) > 250);
  });
});

describe('usePilot()', () => {
  test('serves another pilot and calls back, once for each switch', () => {
    const source = open();
    const seen: unknown[] = [];
    source.onChange(() => seen.push([source.origin, source.current()?.summary]));
    for (const name of ['maintenance', 'maintenance', 'signed-out']) source.usePilot(name);
    assert.deepEqual(seen, [
      [{kind: 'sample', pilot: 'maintenance'}, 'Daiki Mori (CRW0046), Crewroom Air'],
      [{kind: 'sample', pilot: 'signed-out'}, undefined],
    ]);
  });

  for (const name of ['ada', '', 'CAPTAIN', '__proto__'])
    test(`refuses ${JSON.stringify(name)}, and changes nothing`, () => {
      const source = open();
      const before = source.current();
      const problem =
        'is not one of captain, first-officer, signed-out, no-account, other-brand, maintenance, long-names';
      assert.throws(() => source.usePilot(name), {
        failure: {code: 'invalid-body', what: 'pilot', problems: [{path: '$.name', problem}]},
      });
      assert.equal(source.current(), before);
    });
});

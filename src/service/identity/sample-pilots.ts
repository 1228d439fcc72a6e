import type {
  AirlineAccount,
  AirlineSettings,
  Identity,
  IdentityDocument,
  IdentityOrigin,
  IdentitySource,
} from '../../core/domain/identity/identity.ts';
import {
  DEFAULT_PILOT,
  type PilotList,
  type Pilots,
  SAMPLE_PILOT_NAMES,
  type SamplePilot,
  type SamplePilotName,
} from '../../core/domain/identity/pilots.ts';
import {Listeners} from '../../core/domain/listeners.ts';
import type {Log} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {summarise} from './identity-document.ts';
import {SAMPLE_DOCUMENT} from './sample-document.ts';

/** Returns all sample pilots. */
export function listSamplePilots(): readonly SamplePilot[] {
  return SAMPLE_PILOT_NAMES.map(name => {
    const {description, document} = SAMPLES[name];
    return {name, description, summary: document && summarise(document)};
  });
}

/** Returns the identity of a sample pilot; undefined if no pilot is signed in. */
export function readSamplePilot(name: SamplePilotName): Identity | undefined {
  const {document} = SAMPLES[name];
  return document && {json: new TextEncoder().encode(JSON.stringify(document)), summary: summarise(document)};
}

interface Sample {
  readonly description: string;
  /** Undefined if no pilot is signed in. */
  readonly document: IdentityDocument | undefined;
}

const {vendor_design_user: PLATFORM_ACCOUNT, va_user: CAPTAIN, airline: AIRLINE} = SAMPLE_DOCUMENT;

/** End of a session that never expires in practice, in seconds since the Unix epoch: 2100-01-01. */
const EXPIRY = 4_102_444_800;

/** Each sample has a different number and session, so that plugins notice a switch. */
const SAMPLES: Readonly<Record<SamplePilotName, Sample>> = {
  captain: {description: 'A captain with both accounts', document: SAMPLE_DOCUMENT},
  'first-officer': {
    description: 'A new pilot: null where a member may be null, no plugins',
    document: {
      vendor_design_user: {...accountOf(1002, 'Ben', 'A'), developer: false},
      va_user: pilotOf(43, 'Ben', 'Adeyemi', {rank: 'First Officer', rankLevel: 1}),
      airline: {...airlineWith({welcomeMessage: null, maintenanceModeMessage: null}), plugins: []},
    },
  },
  'signed-out': {description: 'No pilot is signed in: 404 no-identity', document: undefined},
  'no-account': {
    description: 'No account on the platform',
    document: {va_user: pilotOf(44, 'Chiara', 'Conti'), airline: AIRLINE},
  },
  'other-brand': {
    description: 'The platform account as tfdi_design_user, sessions with an end, settings of PHP as empty arrays',
    document: otherBrand(),
  },
  maintenance: {
    description: 'An airline in maintenance mode',
    document: {
      vendor_design_user: accountOf(1005, 'Daiki', 'M'),
      va_user: pilotOf(46, 'Daiki', 'Mori'),
      airline: airlineWith({
        maintenanceMode: true,
        maintenanceModeMessage: 'The schedules are being updated. Please come back at 18:00 UTC.',
      }),
    },
  },
  'long-names': {description: 'Very long names, in several scripts', document: longNames()},
};

function accountOf(id: number, firstName: string, lastNameInitial: string): typeof PLATFORM_ACCOUNT {
  return {...PLATFORM_ACCOUNT, id, token: `sample-token-${id}`, firstName, lastNameInitial};
}

function pilotOf(
  dbID: number,
  firstName: string,
  lastName: string,
  others: Partial<AirlineAccount> = {},
): AirlineAccount {
  const pilotID = `CRW00${dbID}`;
  const email = `pilot-${dbID}@example.com`;
  return {...CAPTAIN, dbID, pilotID, firstName, lastName, email, session: `sample-session-${dbID}`, ...others};
}

function airlineWith(settings: Partial<AirlineSettings>): IdentityDocument['airline'] {
  return {...AIRLINE, settings: {...AIRLINE.settings, ...settings}};
}

/** Shapes that other brands and back ends in PHP produce. */
function otherBrand(): IdentityDocument {
  const plugins = AIRLINE.plugins.map(plugin => ({...plugin, availableSettings: [], appliedSettings: []}));
  const more = {discordURL: 'https://chat.example/crew', scriptVersion: '1.0.3', scriptHandler: 'phpvms7'};
  const document = {
    tfdi_design_user: {...accountOf(1004, 'Elif', 'Y'), expiry: EXPIRY},
    va_user: pilotOf(45, 'Elif', 'Yılmaz', {expiry: EXPIRY}),
    airline: {...AIRLINE, settings: {...AIRLINE.settings, ...more}, plugins},
  };
  return document;
}

function longNames(): IdentityDocument {
  const firstName = 'Μαρία-Αλεξάνδρα Екатерина 明日香 นภัสสร';
  const lastName = `${'Wolfeschlegelstein-hausenberger-dorff-'.repeat(3)}Κωνσταντινοπούλου نور الدين O’Brien-Nguyễn 👩🏽‍✈️`;
  return {
    vendor_design_user: accountOf(1006, firstName, 'W'),
    va_user: pilotOf(47, firstName, lastName, {
      rank: 'Старший командир воздушного судна — Senior Long-Haul Training Captain (Boeing 747-8 Intercontinental)',
    }),
    airline: airlineWith({
      airlineName: `${'Trans-Oceanic and Intercontinental '.repeat(3)}Virtual Airways 株式会社 دولية`,
      welcomeMessage: 'Willkommen im Crewraum! أهلاً وسهلاً, добро пожаловать, ようこそ. '.repeat(12),
    }),
  };
}

/** Serves a sample pilot, so that plugins can be tried before anything is configured. */
export class SampleSource implements IdentitySource {
  readonly #log: Log;
  readonly #listeners: Listeners;
  #pilot = DEFAULT_PILOT;
  #identity = readSamplePilot(DEFAULT_PILOT);

  constructor(log: Log) {
    this.#log = log;
    this.#listeners = new Listeners(error => log.error('a listener for identity changes failed', {error}));
  }

  get origin(): IdentityOrigin {
    return {kind: 'sample', pilot: this.#pilot};
  }

  current(): Identity | undefined {
    return this.#identity;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  usePilot(name: string): void {
    const pilot = parseName(name);
    if (pilot === this.#pilot) return;
    this.#pilot = pilot;
    this.#identity = readSamplePilot(pilot);
    this.#log.info('sample pilot switched', {pilot, identity: this.#identity?.summary ?? 'none'});
    this.#listeners.call();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }
}

function parseName(name: string): SamplePilotName {
  const known = SAMPLE_PILOT_NAMES.find(each => each === name);
  if (known !== undefined) return known;
  const problem = `is not one of ${SAMPLE_PILOT_NAMES.join(', ')}`;
  throw new AppError({code: 'invalid-body', what: 'pilot', problems: [{path: '$.name', problem}]});
}

/** Serves no identity. */
export function openEmptySource(): IdentitySource {
  return {
    origin: {kind: 'none'},
    current: () => undefined,
    onChange: () => () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

export interface PilotChoiceDeps {
  readonly identity: Pick<IdentitySource, 'origin' | 'current'>;
  /** Served while no pilot is signed in. */
  readonly base: IdentitySource;
  /** True if pilots sign in at an airline that is configured. */
  readonly hasAirline: boolean;
  /** The words with which the user calls the command line. */
  readonly command: string;
}

/** Creates the choice of a sample pilot. A profile, or a pilot who is signed in, is never replaced. */
export function createPilotChoice(deps: PilotChoiceDeps): Pilots {
  const {identity, base} = deps;
  const list = (): PilotList => {
    const {origin} = identity;
    const current = origin.kind === 'sample' ? origin.pilot : undefined;
    return {pilots: listSamplePilots(), ...(current === undefined ? {} : {current})};
  };
  return {
    list,
    use: name => {
      const problem = findProblem(identity);
      if (problem !== undefined || !(base instanceof SampleSource))
        throw new AppError(
          {code: 'not-offered', what: 'pilots', problem: problem ?? 'the identity has no sample pilots'},
          {advice: adviceFor(deps)},
        );
      base.usePilot(name);
      return list();
    },
  };
}

/** Describes why the identity is not a sample; undefined if it is. */
function findProblem(identity: PilotChoiceDeps['identity']): string | undefined {
  switch (identity.origin.kind) {
    case 'sample':
      return undefined;
    case 'profile':
      return 'the identity comes from a profile';
    case 'none':
      return 'the service was started without an identity';
    case 'back-end':
      return identity.current() === undefined ? 'pilots sign in at their airline' : 'a pilot is signed in';
  }
}

/** Returns how a sample is served from this state on. */
function adviceFor({base, hasAirline, command}: PilotChoiceDeps): string {
  if (hasAirline) return `"${command} start --ephemeral --port 0" starts a service with samples beside this one`;
  if (base.origin.kind !== 'sample') return 'Start the service without --profile';
  if (!(base instanceof SampleSource)) return 'Let the program that embeds the service leave its identity source out';
  return `Sign out: in the console, or with "${command} sign-out"`;
}

/** A pilot of a back end. */
export interface TestPilot {
  /** The number, which is also that of the row in the database. */
  readonly number: number;
  /** The id that the airline displays. */
  readonly pilotID: string;
  readonly email: string;
  readonly password: string;
  readonly firstName: string;
  readonly lastName: string;
  /** An account that is not `active` cannot sign in. A `broken` one makes PHP fail; a `keyless` one has no API key. */
  readonly state: 'active' | 'unconfirmed' | 'broken' | 'keyless';
}

/** A pilot who can sign in as `1` or with the e-mail address, but not as `VMS0001`. */
export const ADA: TestPilot = {
  number: 1,
  pilotID: 'VMS0001',
  email: 'ada.quill@example.com',
  password: 'correct horse battery staple',
  firstName: 'Ada',
  lastName: 'Quill',
  state: 'active',
};

/** A pilot who is not confirmed yet. */
export const BEN: TestPilot = {...ADA, number: 2, pilotID: 'VMS0002', email: 'ben@example.com', state: 'unconfirmed'};

/** A retired pilot, for whose account the back end fails. */
export const CLEO: TestPilot = {...ADA, number: 3, pilotID: 'VMS0003', email: 'cleo@example.com', state: 'broken'};

/** A pilot without an API key, which only phpVMS 7 has; signed up through Discord. */
export const DAN: TestPilot = {...ADA, number: 4, pilotID: 'VMS0004', email: 'dan@example.com', state: 'keyless'};

/** All pilots of a back end. */
export const PILOTS: readonly TestPilot[] = [ADA, BEN, CLEO, DAN];

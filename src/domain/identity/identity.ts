/** The identity document, which describes the pilot, exactly as its source has it. */
export interface Identity {
  /** The document as JSON text in UTF-8, serialised once per change. The bytes never change. */
  readonly json: Uint8Array;
  /** A line for people: the pilot and the airline, such as `Ada Quill (CRW0042), Crewroom Air`. */
  readonly summary: string;
  /** Members that come from the sample, since the profile lacks them, as JSONPaths; absent for a whole document. */
  readonly filled?: readonly string[];
}

/** The origin of an identity. */
export type IdentityOrigin =
  /** The back end of an airline, where a pilot signs in. */
  | {readonly kind: 'back-end'; readonly scriptURL: string}
  | {readonly kind: 'profile'; readonly file: string}
  /** `pilot` is the name of the sample, if the source has several. */
  | {readonly kind: 'sample'; readonly pilot?: string}
  | {readonly kind: 'none'};

/**
 * The members of an identity document, as the specification names them. A document may have other members, which are passed
 * on unchanged.
 */
export interface IdentityDocument {
  /** The account on the platform; absent without one. Another brand may stand in place of `vendor`. */
  readonly vendor_design_user?: PlatformAccount | undefined;
  readonly va_user: AirlineAccount;
  readonly airline: Airline;
}

/** The account of the pilot on the platform. */
export interface PlatformAccount {
  readonly id: number;
  readonly hasPremium: boolean;
  readonly token: string;
  readonly firstName: string;
  readonly lastNameInitial: string;
  readonly authority: number;
  readonly developer: boolean;
  readonly tester: boolean;
  readonly showHost: boolean;
  /** End of the session, in seconds since the Unix epoch. */
  readonly expiry?: number | undefined;
}

/** The account of the pilot at the airline. */
export interface AirlineAccount {
  readonly dbID: number;
  readonly pilotID: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly rank: string;
  readonly rankImage: string | null;
  readonly rankLevel: number;
  readonly avatar: string | null;
  readonly session: string;
  /** End of the session, in seconds since the Unix epoch. */
  readonly expiry?: number | undefined;
}

/** The airline. */
export interface Airline {
  readonly id: number;
  readonly isPartner: boolean;
  readonly settings: AirlineSettings;
  readonly plugins: readonly AirlinePlugin[];
}

/** The name, the appearance and the addresses of the airline. */
export interface AirlineSettings {
  readonly airlineName: string;
  readonly airlineICAO: string;
  readonly accentBackgroundColor: string;
  readonly accentForegroundColor: string;
  readonly welcomeMessage: string | null;
  readonly maintenanceMode: boolean;
  readonly maintenanceModeMessage: string | null;
  readonly logo: string | null;
  readonly logoDark: string | null;
  readonly icon: string | null;
  /** Address of the back end; ends in `/`, since plugins append paths to it. */
  readonly scriptURL: string;
  readonly vaURL: string;
  readonly ico: string | null;
}

/** A plugin that the airline uses, with its settings. */
export interface AirlinePlugin {
  readonly id: string;
  readonly name: string;
  readonly verified: boolean;
  readonly downloads: number;
  readonly rating: number;
  readonly totalReviews: number;
  readonly author: string;
  readonly description: string;
  readonly lastUpdated: string;
  readonly version: string;
  readonly type: string;
  readonly availableSettings: PluginSettings;
  readonly appliedSettings: PluginSettings;
}

/** Settings by name. Back ends in PHP write an object without members as an empty array, and plugins get it as it is. */
export type PluginSettings = Readonly<Record<string, unknown>> | readonly never[];

/** The port of a source of the identity. */
export interface IdentitySource extends AsyncDisposable {
  readonly origin: IdentityOrigin;

  /** Returns the current identity, or undefined if no pilot is signed in. */
  current(): Identity | undefined;

  /** Calls the listener after each change of {@link current}. @returns A function that removes it. */
  onChange(listener: () => void): () => void;

  /** Releases the resources of the source. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

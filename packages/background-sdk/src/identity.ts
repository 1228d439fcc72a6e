/** The pilot, as `GET /api/identity` answers. Sources may add members; texts that are not known are `null` or absent. */
export interface Identity {
  /** Account of the pilot at the airline. */
  readonly va_user: AirlineAccount;
  readonly airline: Airline;
  /** The account of the platform, if there is one, under the name that the platform gives it. */
  readonly [member: string]: unknown;
}

/** The pilot, as `onStart` gets it. */
export interface StartIdentity extends Identity {
  /** Directory for the files of the plugin. It is kept when the plugin is updated. */
  readonly storagePath: string;
}

/** Account of the pilot at the airline. */
export interface AirlineAccount {
  /** Id in the database of the airline. */
  readonly dbID: number;
  /** Id that is shown, such as `VMS0001`. */
  readonly pilotID: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly rank: string;
  readonly rankImage?: string | null;
  readonly rankLevel: number;
  readonly avatar?: string | null;
  /** Secret that the back end of the airline takes as a bearer token. It belongs in no log. */
  readonly session: string | null;
  readonly [member: string]: unknown;
}

/** The airline of the pilot. */
export interface Airline {
  readonly id: number;
  readonly isPartner: boolean;
  readonly settings: AirlineSettings;
  /** Plugins of the airline. */
  readonly plugins: readonly AirlinePlugin[];
  readonly [member: string]: unknown;
}

/** Names, colours and addresses of an airline. */
export interface AirlineSettings {
  readonly airlineName: string;
  readonly airlineICAO: string;
  readonly accentBackgroundColor: string;
  readonly accentForegroundColor: string;
  readonly welcomeMessage?: string | null;
  readonly maintenanceMode: boolean;
  readonly maintenanceModeMessage?: string | null;
  readonly logo?: string | null;
  readonly logoDark?: string | null;
  readonly icon?: string | null;
  readonly ico?: string | null;
  /** Address of the back end. It ends in `/`: append paths to it. */
  readonly scriptURL: string;
  /** Address of the website. */
  readonly vaURL: string;
  readonly [member: string]: unknown;
}

/** A plugin of the airline. */
export interface AirlinePlugin {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly description: string;
  /** Values of the settings with `settingType` `airline`. Some back ends send `[]` for none. */
  readonly appliedSettings: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly [member: string]: unknown;
}

// Written by "crewroom plugin types" from plugin.json.

/** Settings of the user, with their defaults, as onSettingsUpdate and GET /api/settings/{id} give them. */
export interface UserSettings {
  /** Greeting: The word before the name of the pilot */
  readonly greeting: string;
}

/** Settings of the airline, as appliedSettings of the plugin in the identity gives them. */
export type AirlineSettings = Readonly<Record<string, never>>;

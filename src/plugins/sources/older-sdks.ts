/** An SDK that is no longer on the registry. */
export interface OlderSdk {
  readonly name: string;
  /** The package in its place, and the folder that has it. */
  readonly standIn: string;
  readonly folder: string;
  /** Names in the folder that belong to the package. */
  readonly parts: readonly string[];
}

/** SDKs that published plugins need. */
export const OLDER_SDKS: readonly OlderSdk[] = [
  {
    name: '@tfdidesign/smartcars3-ui-sdk',
    standIn: 'crewroom-ui-sdk',
    folder: 'ui-sdk',
    parts: ['package.json', 'dist', 'css'],
  },
  {
    name: '@tfdidesign/smartcars3-background-sdk',
    standIn: 'crewroom-background-sdk',
    folder: 'background-sdk',
    parts: ['package.json', 'dist'],
  },
];

import type {ConfigurationProblem, DocumentProblem} from './problems.ts';

/** Members of the failures of a start and of commands. None crosses HTTP. */
export interface StartMembers {
  'invalid-usage': {command: string; problem: string};
  'invalid-configuration': {problems: readonly ConfigurationProblem[]};
  'invalid-profile': {file: string; problems: readonly DocumentProblem[]};
  'invalid-airline': {file: string; problems: readonly DocumentProblem[]};
  'unsafe-host': {host: string};
  'address-in-use': {address: string; holder?: string};
  'address-unusable': {address: string; problem: string};
  'data-directory-in-use': {directory: string; processId: number};
  'data-directory-unusable': {directory: string; problem: string};
  /** The system and processor of this program, such as `linux-x64`. */
  'engine-missing': {system: string; problem: string};
  'data-format-unsupported': {directory: string; found: string; supported: number};
  /** The file with the tokens of programs, in the data directory. */
  'invalid-token-file': {file: string; problem: string};
  'invalid-rules-file': {file: string; problem: string};
  'unreadable-input': {
    source: string;
    problem: string;
    /** True if no file has this name. */
    missing?: true;
  };
  'unwritable-output': {
    problem: string;
    target?: string;
    /** True if the target exists, and is not to be replaced. */
    exists?: true;
  };
  'foreign-service': {
    url: string;
    /** The user id of the program that answers. */
    owner: number;
    /** The user id of the caller. */
    userId: number;
  };
  'no-owner-token': {
    url: string;
    /** The paths where a token of the service was looked for; no file of this user has one. */
    files: string;
  };
  /** Nothing of the package was installed. */
  'invalid-package': {source: string; problem: string};
  'plugin-not-started': {
    plugin: string;
    version: string;
    problem: string;
    /** The version that was installed before and was restored; empty if it has none, absent if there was none. */
    kept?: string;
    /** The last lines that the new version logged, oldest first. */
    lines: readonly string[];
  };
  /** The service manager of the user refused a command, or is not reachable. */
  'service-manager-failed': {command: string; problem: string};
}

import {list, number, object, optional, text} from './checks.ts';
import {type MembersByCode, problems} from './members.ts';
import type {ConfigurationProblem} from './problems.ts';

const configurationProblem = object<ConfigurationProblem>({setting: text, source: text, problem: text});

const yes = (value: unknown): value is true => value === true;

/** Members of the failures of a start and of commands. None crosses HTTP. */
export const START_MEMBERS = {
  'invalid-usage': {command: text, problem: text},
  'invalid-configuration': {problems: list(configurationProblem)},
  'invalid-profile': {file: text, problems},
  'invalid-airline': {file: text, problems},
  'unsafe-host': {host: text},
  'address-in-use': {address: text, holder: optional(text)},
  'address-unusable': {address: text, problem: text},
  'data-directory-in-use': {directory: text, processId: number},
  'data-directory-unusable': {directory: text, problem: text},
  'data-format-unsupported': {directory: text, found: text, supported: number},
  'store-damaged': {directory: text, problem: text, hint: optional(text)},
  /** The file with the tokens of programs, in the data directory. */
  'invalid-token-file': {file: text, problem: text},
  'invalid-rules-file': {file: text, problem: text},
  'unreadable-input': {
    source: text,
    problem: text,
    /** True if no file has this name. */
    missing: optional(yes),
  },
  'unwritable-output': {problem: text, target: optional(text)},
  'foreign-service': {
    url: text,
    /** The user id of the program that answers. */
    owner: number,
    /** The user id of the caller. */
    userId: number,
  },
  'no-owner-token': {
    url: text,
    /** The paths where a token of the service was looked for; no file of this user has one. */
    files: text,
  },
  /** Nothing of the package was installed. */
  'invalid-package': {source: text, problem: text},
  'plugin-not-started': {
    plugin: text,
    version: text,
    problem: text,
    /** The version that was installed before and was restored; empty if it has none, absent if there was none. */
    kept: optional(text),
    /** The last lines that the new version logged, oldest first. */
    lines: list(text),
  },
  /** The service manager of the user refused a command, or is not reachable. */
  'service-manager-failed': {command: text, problem: text},
} as const satisfies MembersByCode;

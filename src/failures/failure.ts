/**
 * Every expected failure, as data. HTTP responses carry it as the members of a problem document, and the client
 * throws the same failure again. `docs/errors.md` explains when each code occurs and what to do.
 */
export type Failure = RequestFailure | BackEndFailure | StoreFailure | KeychainFailure | LocalFailure;

/** Failures that a caller can fix: the request was wrong, was refused, or did not match the current state. */
export type RequestFailure =
  | {readonly code: 'invalid-key'; readonly key: string; readonly problem: string}
  | {readonly code: 'invalid-json'; readonly problem: string; readonly position: number}
  | {readonly code: 'invalid-transaction'; readonly problems: readonly DocumentProblem[]}
  | ({readonly code: 'invalid-import'; readonly line: number; readonly problem: string} & ImportedPart)
  | {readonly code: 'value-too-deep'; readonly depthMax: number; readonly position: number}
  | {readonly code: 'value-too-large'; readonly sizeBytesMax: number}
  | {readonly code: 'transaction-too-large'; readonly sizeBytesMax: number}
  | {readonly code: 'patch-too-large'; readonly membersMax: number}
  | {readonly code: 'unsupported-body'; readonly problem: string}
  | {readonly code: 'invalid-parameter'; readonly parameter: string; readonly problem: string}
  | {readonly code: 'invalid-header'; readonly header: string; readonly problem: string}
  | {readonly code: 'malformed-request'; readonly problem: string}
  | {readonly code: 'no-entry'; readonly key: string}
  | {readonly code: 'no-identity'}
  /** `meant` is the path with the slashes of its key encoded, if that is a valid path. */
  | {readonly code: 'no-resource'; readonly path: string; readonly meant?: string}
  | {readonly code: 'method-not-allowed'; readonly method: string; readonly allowed: readonly string[]}
  | {readonly code: 'revision-conflict'; readonly conflicts: readonly Conflict[]}
  | {readonly code: 'foreign-host'; readonly host: string}
  | {readonly code: 'foreign-origin'; readonly origin: string}
  /** `site` is the `Sec-Fetch-Site` of the request, or `prefetch` or `prerender`. */
  | {readonly code: 'cross-site'; readonly site: string}
  | {readonly code: 'not-a-page'; readonly path: string}
  /** Browsers do not mark their requests to `host`, and the request has nothing that a page of another origin cannot send. */
  | {readonly code: 'unmarked-request'; readonly host: string}
  /** `owner` is the user id of the process at the other end; absent if no process of this machine has it. */
  | {readonly code: 'other-user'; readonly owner?: number}
  | {readonly code: 'headers-too-large'}
  | {readonly code: 'request-timeout'}
  | {readonly code: 'too-many-connections'; readonly connectionsMax: number}
  | {readonly code: 'too-many-bodies'}
  /** The list of the sockets of this machine could not be read for the moment. */
  | {readonly code: 'user-lookup-failed'}
  | {readonly code: 'too-many-subscribers'; readonly subscribersMax: number}
  | {readonly code: 'subscriber-too-slow'; readonly cursor: string}
  /** `ageMs` is the age of the snapshot, if the engine closed it for that. */
  | {readonly code: 'reader-too-slow'; readonly idleMs: number; readonly ageMs?: number}
  | {readonly code: 'invalid-sign-in'; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'sign-in-unavailable'; readonly problem: string}
  | {readonly code: 'sign-in-busy'}
  /** The request to switch the sample pilot is wrong. */
  | {readonly code: 'invalid-pilot-choice'; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'pilot-choice-unavailable'; readonly problem: string}
  /** The request to switch faults on is wrong. */
  | {readonly code: 'invalid-faults'; readonly problems: readonly DocumentProblem[]}
  /** `origin` is the page that asked; its origin is allowed to call, but not here. */
  | {readonly code: 'own-callers-only'; readonly origin: string}
  /** A page asked for what only the owner may do, or a program for a code, without a valid token of the owner. */
  | {readonly code: 'owner-required'}
  /** The console cannot be opened as the owner: the service listens on `host` only, and not on all addresses of localhost. */
  | {readonly code: 'code-unavailable'; readonly host: string}
  /** A token of this service is wrong, has expired, was revoked, or is sent twice. */
  | {readonly code: 'invalid-token'; readonly problem: string}
  /** `principal` is the caller that lacks the permission, such as `token:backup`. */
  | {readonly code: 'permission-required'; readonly permission: string; readonly principal: string}
  /** The request has no credentials, and `permission` is the smallest one that suffices. */
  | {readonly code: 'token-required'; readonly permission: string; readonly plugin?: string}
  /** The request to create a token is wrong. */
  | {readonly code: 'invalid-token-request'; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'no-token'; readonly name: string}
  | {readonly code: 'invalid-grant-request'; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'no-grant'; readonly plugin: string; readonly permission?: string}
  /** The request to allow the pages of an origin is wrong. */
  | {readonly code: 'invalid-origin'; readonly problems: readonly DocumentProblem[]}
  /** The code of the console is unknown, was used, or is too old. */
  | {readonly code: 'invalid-code'}
  | PluginFailure;

/** Failures of plugins, of their settings and of their routes. `route` is a method and a name, such as `GET data`. */
export type PluginFailure =
  | {readonly code: 'no-plugin'; readonly plugin: string}
  /** The folder or the manifest of a plugin is wrong. */
  | {readonly code: 'invalid-plugin'; readonly plugin: string; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'invalid-plugin-settings'; readonly plugin: string; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'no-plugin-route'; readonly plugin: string; readonly route: string; readonly problem: string}
  | {readonly code: 'invalid-flight'; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'no-flight'}
  | {readonly code: 'plugin-request-too-large'; readonly sizeBytesMax: number}
  | {readonly code: 'plugin-busy'; readonly plugin: string; readonly requestsMax: number}
  | {
      readonly code: 'plugin-failed';
      readonly plugin: string;
      readonly route: string;
      readonly problem: string;
      /** The innermost position in the code of the plugin, such as `background/index.js:12`, if it is known. */
      readonly place?: string;
    }
  | {readonly code: 'plugin-timeout'; readonly plugin: string; readonly route: string; readonly timeoutMs: number}
  | {readonly code: 'plugin-ended'; readonly plugin: string; readonly route: string}
  /** The dev server of the page of a plugin in development did not answer. */
  | {readonly code: 'dev-server-failed'; readonly url: string; readonly problem: string};

/**
 * A request to the back end of the airline failed. Texts from the back end are cleaned and shortened, and contain neither
 * password nor session; addresses have no query.
 */
export type BackEndFailure =
  | ({readonly code: 'wrong-credentials'; readonly url: string; readonly message?: string} & Hinted)
  | {readonly code: 'pilot-not-confirmed'; readonly url: string; readonly message?: string}
  | ({
      readonly code: 'account-broken';
      readonly url: string;
      readonly backEndStatus: number;
      /** The behaviour of the back end, if it is known. */
      readonly problem?: string;
      readonly message?: string;
    } & Hinted)
  | {readonly code: 'session-unknown'; readonly url: string; readonly message?: string}
  /** The address is plain `http` on another machine, and the settings do not allow that. Nothing secret was sent. */
  | {readonly code: 'unprotected-back-end'; readonly url: string}
  | ({
      readonly code: 'back-end-unreachable';
      readonly url: string;
      readonly stage: BackEndStage;
      readonly problem: string;
    } & Hinted)
  | {readonly code: 'back-end-timeout'; readonly url: string; readonly timeoutMs: number}
  | ({
      readonly code: 'back-end-redirect';
      readonly url: string;
      readonly target: string;
      readonly problem: string;
      /** The `scriptURL` to configure instead, if it is known. */
      readonly scriptURL?: string;
    } & Hinted)
  | ({
      readonly code: 'not-a-back-end';
      readonly url: string;
      readonly backEndStatus: number;
      readonly problem: string;
      /** The first line of the response. */
      readonly firstLine?: string;
    } & Hinted)
  | ({
      readonly code: 'back-end-failed';
      readonly url: string;
      /** The HTTP status of the back end; `status` is that of the problem document. */
      readonly backEndStatus: number;
      /** The problem of the back end, if it was recognised. */
      readonly problem?: string;
      readonly message?: string;
    } & Hinted &
      Pausing)
  | ({
      /** The back end, or a proxy in front of it, limits requests (429). */
      readonly code: 'back-end-busy';
      readonly url: string;
      readonly backEndStatus: number;
      readonly problem: string;
      readonly message?: string;
    } & Hinted &
      Pausing)
  | {readonly code: 'invalid-pilot'; readonly url: string; readonly problems: readonly DocumentProblem[]};

/** A failure that may have better advice than its code. */
interface Hinted {
  /** Advice for this case, in place of the advice for the code. */
  readonly hint?: string;
}

/** A failure of a back end that may ask for a pause. */
interface Pausing {
  /** Time to wait before the next request, in seconds; one day at most. */
  readonly retryAfterSeconds?: number;
}

/** The step in which a request to a back end failed: looking up its name, connecting, the TLS handshake, or the answer. */
export type BackEndStage = 'name' | 'connection' | 'tls' | 'answer';

/** Failures of the service on valid requests. */
export type StoreFailure =
  | {readonly code: 'entry-corrupt'; readonly key: string}
  /** A list cannot continue. The damage is after the key `after` in the order of the list; absent if no key was read. */
  | {readonly code: 'store-corrupt'; readonly after?: string}
  | ({readonly code: 'store-read-only'; readonly problem: string} & Partial<ImportedPart>)
  | ({readonly code: 'disk-full'} & Partial<ImportedPart>)
  | ({readonly code: 'store-busy'; readonly waitingMax: number} & Partial<ImportedPart>)
  | ({readonly code: 'store-closed'} & Partial<ImportedPart>)
  /** The engine cannot be reached, and did nothing. Of the embedded engine only what was being read when a write failed. */
  | ({readonly code: 'store-unavailable'; readonly problem: string} & Partial<ImportedPart>)
  /** The engine did not confirm the commit in time: it was applied as a whole, will be, or never is. Never by the embedded engine. */
  | ({readonly code: 'outcome-unknown'; readonly commitId: string} & Partial<ImportedPart>)
  | {readonly code: 'internal'; readonly requestId: string};

/** The keychain of the system is locked or does not answer. Appears only as the problem in the status of the session. */
export type KeychainFailure = {readonly code: 'keychain-unavailable'; readonly problem: string};

/** Failures that never cross HTTP: a program could not start, was used wrongly, or did not reach the service. */
export type LocalFailure =
  | {readonly code: 'invalid-usage'; readonly command: string; readonly problem: string}
  | {readonly code: 'invalid-configuration'; readonly problems: readonly ConfigurationProblem[]}
  | {readonly code: 'invalid-profile'; readonly file: string; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'invalid-airline'; readonly file: string; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'unsafe-host'; readonly host: string}
  | {readonly code: 'address-in-use'; readonly address: string; readonly holder?: string}
  | {readonly code: 'address-unusable'; readonly address: string; readonly problem: string}
  | {readonly code: 'data-directory-in-use'; readonly directory: string; readonly processId: number}
  | {readonly code: 'data-directory-unusable'; readonly directory: string; readonly problem: string}
  | {
      readonly code: 'data-format-unsupported';
      readonly directory: string;
      readonly found: string;
      readonly supported: number;
    }
  | {readonly code: 'store-damaged'; readonly directory: string; readonly problem: string; readonly hint?: string}
  /** The file with the tokens of programs, in the data directory. */
  | {readonly code: 'invalid-token-file'; readonly file: string; readonly problem: string}
  | {readonly code: 'invalid-rules-file'; readonly file: string; readonly problem: string}
  /** `missing` is true if no file has this name. */
  | {readonly code: 'unreadable-input'; readonly source: string; readonly problem: string; readonly missing?: true}
  | {readonly code: 'unwritable-output'; readonly problem: string; readonly target?: string}
  | {readonly code: 'service-unreachable'; readonly url: string; readonly problem: string}
  | {
      readonly code: 'foreign-service';
      readonly url: string;
      /** The user id of the program that answers, and the user id of the caller. */
      readonly owner: number;
      readonly userId: number;
    }
  /** No file of this user has a token of the service; `files` are the paths where it was looked for. */
  | {readonly code: 'no-owner-token'; readonly url: string; readonly files: string}
  | {readonly code: 'service-timeout'; readonly url: string; readonly timeoutMs: number}
  /** Nothing of the package was installed. */
  | {readonly code: 'invalid-package'; readonly source: string; readonly problem: string}
  | {
      readonly code: 'plugin-not-started';
      readonly plugin: string;
      readonly version: string;
      readonly problem: string;
      /** The version that was installed before and was restored; empty if it has none, absent if there was none. */
      readonly kept?: string;
      /** The last lines that the new version logged, oldest first. */
      readonly lines: readonly string[];
    }
  /** The service manager of the user refused a command, or is not reachable. */
  | {readonly code: 'service-manager-failed'; readonly command: string; readonly problem: string}
  | {readonly code: 'invalid-value'; readonly key: string; readonly problems: readonly DocumentProblem[]}
  | {readonly code: 'unexpected-answer'; readonly url: string; readonly status: number; readonly problem: string}
  | UnknownFailure;

/** A failure of the service that this version does not know, or that lacks members that this version expects. */
export interface UnknownFailure {
  readonly code: 'unknown-failure';
  /** The code in the response. */
  readonly sentCode: string;
  /** The HTTP status of the response. */
  readonly status: number;
  /** The message in the response. */
  readonly detail: string;
  /** The advice in the response. */
  readonly advice?: string;
}

/** The part of an import that was stored before it failed. Importing is idempotent. */
export interface ImportedPart {
  /** Number of stored entries. */
  readonly imported: number;
  /** Number of stored batches. */
  readonly batches: number;
}

/** One check of a commit that did not hold. */
export interface Conflict {
  readonly key: string;
  /**
   * The expected revision (`12`, or `12 or 13`; `3f9c2a7b01d4e856-12` for a revision of another store), `absent` or
   * `present`; `0` for an ETag that no entry has.
   */
  readonly expected: string;
  /** The current revision, or `absent`. */
  readonly actual: string;
}

/** One invalid setting. */
export interface ConfigurationProblem {
  readonly setting: string;
  /** The source of the value, such as `--port` or `CREWROOM_PORT`. */
  readonly source: string;
  readonly problem: string;
}

/** One problem of a document. */
export interface DocumentProblem {
  /** The location as a JSONPath, such as `$.airline.settings.scriptURL`. */
  readonly path: string;
  readonly problem: string;
}

/** The name of a kind of failure. Codes are stable: a released one is never renamed or reused. */
export type FailureCode = Failure['code'];

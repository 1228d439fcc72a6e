/** The service inside another program. */
export {openCrewroom} from './app.ts';
export type {Config, LogLevel} from './config/config.ts';
export type {Crewroom, CrewroomParts, Listening} from './crewroom.ts';
export type {
  ClientRequested,
  DefaultEventKind,
  EntryEvent,
  EntryRemoved,
  EntryWritten,
  Event,
  EventBatch,
  EventKind,
  EventOfKind,
  Events,
  IdentityChanged,
  PluginLogged,
  PluginStateChanged,
  Reset,
  SubscribeOptions,
} from './domain/commits/event.ts';
export type {Export, ExportOptions, Imported, ImportMode, ImportOptions, Transfer} from './domain/commits/transfer.ts';
export type {
  Committed,
  DeleteOptions,
  Entries,
  ListOptions,
  Page,
  PutOptions,
  Transaction,
  TransactionCheck,
  TransactionOperation,
  WriteOptions,
  Written,
} from './domain/entries/entries.ts';
export type {Entry, EntryInfo, Expectation} from './domain/entries/entry.ts';
export {compareKeys, type Key, type Prefix, parseKey, parsePrefix} from './domain/entries/key.ts';
export {type ListAllOptions, listAll} from './domain/entries/list-all.ts';
export {
  formatRevision,
  type GivenRevision,
  NO_REVISION,
  parseRevision,
  type Revision,
  type StoreRevision,
} from './domain/entries/revision.ts';
export type {StandardIssue, StandardResult, StandardSchema} from './domain/entries/standard-schema.ts';
export {parseStoreId, type StoreId} from './domain/entries/store-id.ts';
export type {TypedEntries} from './domain/entries/typed-entries.ts';
export type {SchemaOption, TypedEntry} from './domain/entries/typed-entry.ts';
export type {Fault, FaultList, FaultSelection, Faults, RequestFault} from './domain/faults/fault.ts';
export type {
  Airline,
  AirlineAccount,
  AirlinePlugin,
  AirlineSettings,
  Identity,
  IdentityDocument,
  IdentityOrigin,
  IdentitySource,
  PlatformAccount,
  PluginSettings,
} from './domain/identity/identity.ts';
export type {PilotList, Pilots, SamplePilot} from './domain/identity/pilots.ts';
export type {
  SessionPlace,
  SessionState,
  SessionStatus,
  Sessions,
  SignIn,
  SignInOptions,
} from './domain/identity/session.ts';
export {DEFAULT_LIMITS, type Limits} from './domain/limits.ts';
export type {Log, LogFields} from './domain/log.ts';
export type {
  CallablePlugin,
  PluginAnswer,
  PluginBody,
  PluginLogLine,
  PluginRequest,
  PluginRoute,
  PluginState,
  PluginStatus,
  Plugins,
} from './domain/plugins/plugin.ts';
export type {PluginId} from './domain/plugins/plugin-id.ts';
export type {PluginManifest, PluginSetting} from './domain/plugins/plugin-manifest.ts';
export type {
  FollowOptions,
  RecordedFailure,
  RecordedRequest,
  RequestPage,
  Requests,
} from './domain/recorded-request.ts';
export {AppError, describeFailure} from './failures/app-error.ts';
export type {Failure, FailureCode} from './failures/failure.ts';
export type {FaultKind} from './failures/fault-mark.ts';
export type {ConfigurationProblem, Conflict, DocumentProblem, ImportedPart} from './failures/members/problems.ts';
export type {Keychain} from './identity/keychain/keychain.ts';
export type {JsonLimits} from './json/json-limits.ts';
export {decodeJsonText, encodeJsonText, type JsonText, parseJsonText} from './json/json-text.ts';
export type {Timers} from './time/timers.ts';

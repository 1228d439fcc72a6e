/** The service inside another program. */
export {type Crewroom, type CrewroomParts, type Listening, openCrewroom} from './app.ts';
export type {Config, LogLevel} from './config/config.ts';
export * from './domain/entries.ts';
export * from './domain/entry.ts';
export * from './domain/event.ts';
export {
  AppError,
  type ConfigurationProblem,
  type Conflict,
  type DocumentProblem,
  describeFailure,
  type Failure,
  type FailureCode,
  type ImportedPart,
} from './domain/failure.ts';
export * from './domain/identity.ts';
export {
  decodeJsonText,
  encodeJsonText,
  JSON_DEPTH_MAX,
  type JsonLimits,
  type JsonText,
  parseJsonText,
} from './domain/json-text.ts';
export {compareKeys, KEY_BYTES_MAX, type Key, type Prefix, parseKey, parsePrefix} from './domain/key.ts';
export {type ListAllOptions, listAll} from './domain/list-all.ts';
export type {Log, LogFields} from './domain/log.ts';
export * from './domain/session.ts';
export type {StandardIssue, StandardResult, StandardSchema} from './domain/standard-schema.ts';
export * from './domain/store.ts';
export * from './domain/store-id.ts';
export * from './domain/transfer.ts';
export type {TypedEntries} from './domain/typed-entries.ts';
export type {SchemaOption, TypedEntry} from './domain/typed-entry.ts';
export type {Keychain} from './identity/keychain/keychain.ts';
export type {Timers} from './identity/session/alarm.ts';

/** The typed client: browser and Node, no dependency. */

export type {
  ClientRequested,
  DefaultEventKind,
  EntryEvent,
  EntryRemoved,
  EntryWritten,
  EventKind,
  IdentityChanged,
  PluginLogged,
  PluginStateChanged,
  Reset,
} from '../domain/commits/event.ts';
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
} from '../domain/entries/entries.ts';
export type {Entry, EntryInfo, Expectation} from '../domain/entries/entry.ts';
export type {Key} from '../domain/entries/key.ts';
export type {ListAllOptions} from '../domain/entries/list-all.ts';
export {
  type GivenRevision,
  NO_REVISION,
  parseRevision,
  type Revision,
  type StoreRevision,
} from '../domain/entries/revision.ts';
export type {StandardIssue, StandardResult, StandardSchema} from '../domain/entries/standard-schema.ts';
export type {StoreId} from '../domain/entries/store-id.ts';
export type {TypedEntries} from '../domain/entries/typed-entries.ts';
export type {SchemaOption, TypedEntry} from '../domain/entries/typed-entry.ts';
export type {
  Airline,
  AirlineAccount,
  AirlinePlugin,
  AirlineSettings,
  IdentityDocument,
  PlatformAccount,
  PluginSettings,
} from '../domain/identity/identity.ts';
export type {Limits} from '../domain/limits.ts';
export type {Failure, FailureCode} from '../failures/failure.ts';
export {describeOwnFailure as describeFailure, FailureError as AppError} from '../failures/failure-error.ts';
export type {Conflict} from '../failures/members/problems.ts';
export {decodeJsonText, type JsonText} from '../json/json-text.ts';
export type {ClientEvent, ValueWritten} from '../protocol/event/event.ts';
export {type Client, createClient, type IdentityAnswer} from './client.ts';
export type {ClientEntries, ReadOptions} from './client-entries.ts';
export type {ConnectionState, EventStream, EventsOptions} from './event-stream.ts';
export type {ClientOptions} from './options.ts';
export type {CallOptions} from './transport.ts';

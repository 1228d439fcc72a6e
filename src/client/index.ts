/** The typed client: browser and Node, no dependency. */

export type {Principal} from '../core/domain/access/access.ts';
export type {
  ClientRequested,
  DefaultEventKind,
  EntryRemoved,
  EntryWritten,
  Event,
  EventKind,
  EventStream,
  EventsByKind,
  EventsOptions,
  IdentityChanged,
  PluginLogged,
  PluginStateChanged,
  Reset,
} from '../core/domain/commits/event.ts';
export type {
  Entries,
  ListAllOptions,
  ListOptions,
  Page,
  PutOptions,
  Transaction,
  TransactionOperation,
  Written,
} from '../core/domain/entries/entries.ts';
export type {Entry, EntryInfo, Expectation} from '../core/domain/entries/entry.ts';
export type {HistoryChange, HistoryPage} from '../core/domain/entries/history.ts';
export type {GivenRevision, Key, Revision, StoreId} from '../core/domain/entries/identifiers.ts';
export type {StandardSchema, TypedEntry} from '../core/domain/entries/typed-entry.ts';
export type {
  Airline,
  AirlineAccount,
  AirlinePlugin,
  AirlineSettings,
  IdentityDocument,
  PlatformAccount,
} from '../core/domain/identity/identity.ts';
export type {PluginState} from '../core/domain/plugins/plugin.ts';
export type {Failure, FailureCode} from '../core/failures/failure.ts';
export {FailureError as AppError} from '../core/failures/failure-error.ts';
export type {ConfigurationProblem, Conflict, DocumentProblem} from '../core/failures/members/problems.ts';
export {encodeText, type JsonText} from '../core/json/json-text.ts';
export {type Client, createClient} from './client.ts';
export type {ClientEntries} from './client-entries.ts';
export type {ClientEventsOptions} from './event-stream.ts';
export type {ClientOptions} from './options.ts';
export type {CallOptions} from './transport.ts';

/** The service inside another program. */

export type {AccessMode, Principal} from '../core/domain/access/access.ts';
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
export type {StoreKind, StoreState} from '../core/domain/commits/store.ts';
export type {Export, Imported, ImportOptions, Transfer} from '../core/domain/commits/transfer.ts';
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
  Identity,
  IdentityDocument,
  IdentityOrigin,
  IdentitySource,
  PlatformAccount,
  SessionStatus,
  Sessions,
  SignIn,
} from '../core/domain/identity/identity.ts';
export type {Log} from '../core/domain/log.ts';
export type {
  Airport,
  Flight,
  FlightChange,
  FlightFigures,
  FlightFrame,
  FlightOptions,
  FlightPhase,
  FlightPlan,
  FlightStatus,
} from '../core/domain/plugins/flight.ts';
export type {
  PluginError,
  PluginLogLine,
  PluginRoute,
  PluginSetting,
  PluginState,
  PluginStatus,
  Plugins,
} from '../core/domain/plugins/plugin.ts';
export type {UserSettings} from '../core/domain/plugins/user-settings.ts';
export type {
  FollowOptions,
  RecordedFailure,
  RecordedRequest,
  RequestPage,
  Requests,
} from '../core/domain/recorded-request.ts';
export {AppError} from '../core/failures/app-error.ts';
export type {Failure, FailureCode} from '../core/failures/failure.ts';
export type {ConfigurationProblem, Conflict, DocumentProblem, ImportedPart} from '../core/failures/members/problems.ts';
export {encodeText, type JsonText} from '../core/json/json-text.ts';
export type {ServiceSettings} from '../platform/config/config.ts';
export type {Keychain} from '../service/identity/keychain/keychain.ts';
export type {Crewroom, CrewroomOptions, Listening} from './crewroom.ts';
export {openCrewroom} from './open-crewroom.ts';

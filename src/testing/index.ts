/** For the tests of others: plugins that run for a test, and the contracts of the ports for authors of adapters. */

export {type EntriesContract, testEntries} from './entries/entries-contract.ts';
export {type EventsContract, type OpenedEvents, testEvents} from './events/events-contract.ts';
export {type IdentitySourceContract, testIdentitySource} from './identity/identity-source-contract.ts';
export type {DeepPartial, IdentityMembers, TestIdentity} from './plugin/changing-identity.ts';
export {type LoadedPlugin, type LoadPluginOptions, loadPlugin, type RouteRequest} from './plugin/load-plugin.ts';
export type {
  BackEndAnswer,
  BackEndAnswers,
  BackEndReply,
  BackEndRequest,
  JsonValue,
  RecordingBackEnd,
} from './plugin/recording-back-end.ts';
export {type SessionsContract, testSessions} from './sessions/sessions-contract.ts';
export type {OpenedSessions} from './sessions/subject.ts';
export type {Contract, OpenedEntries, TestRunner} from './shared/contract.ts';
export type {ClockedStore} from './store/expiry.ts';
export type {ReopenableStore} from './store/identity.ts';
export type {SharedStores} from './store/sharing.ts';
export {type StoreContract, testStore} from './store/store-contract.ts';
export {type OpenedTransfer, type TransferContract, testTransfer} from './transfer/transfer-contract.ts';

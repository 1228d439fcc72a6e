/** The contracts of the ports, as tests, for authors of adapters. */

export {type EntriesContract, testEntries} from './entries/entries-contract.ts';
export {type EventsContract, type OpenedEvents, testEvents} from './events/events-contract.ts';
export {type IdentitySourceContract, testIdentitySource} from './identity/identity-source-contract.ts';
export {type SessionsContract, testSessions} from './sessions/sessions-contract.ts';
export type {OpenedSessions} from './sessions/subject.ts';
export type {Contract, OpenedEntries, TestRunner} from './shared/contract.ts';
export type {ClockedStore} from './store/expiry.ts';
export type {ReopenableStore} from './store/identity.ts';
export {type StoreContract, testStore} from './store/store-contract.ts';
export {type OpenedTransfer, type TransferContract, testTransfer} from './transfer/transfer-contract.ts';

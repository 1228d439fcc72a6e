/** Exports and imports of a running service: browser and Node, no dependency. */
export type {
  Export,
  Imported,
  ImportOptions,
  Transfer,
} from '../../core/domain/commits/transfer.ts';
export type {ClientOptions} from '../options.ts';
export type {CallOptions} from '../transport.ts';
export {type ClientTransfer, createTransfer} from './http-transfer.ts';

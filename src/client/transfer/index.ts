/** Exports and imports of a running service: browser and Node, no dependency. */
export type {
  Export,
  ExportOptions,
  Imported,
  ImportMode,
  ImportOptions,
  Transfer,
} from '../../domain/commits/transfer.ts';
export type {ClientOptions} from '../options.ts';
export {type ClientTransfer, createTransfer, type TransferCallOptions} from './http-transfer.ts';

import type {Transfer} from '../../domain/transfer.ts';
import {formatImported} from '../../protocol/imported.ts';
import {assertPlainBody} from '../core/body.ts';
import {answer, streamAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';

/** `/api/export`, `/api/import`: the entries as lines, out and in again. */
export function transferRoutes(transfer: Transfer): readonly Route[] {
  return [
    {
      path: '/api/export',
      operations: {
        GET: async ({request: {signal}, query}) => {
          const {EXPORT_QUERY, readParameters} = await import('../openapi/schemas.ts');
          const exported = await transfer.export(readParameters(query, EXPORT_QUERY));
          // Also where its body is never begun, as with HEAD, the store must not wait for its end.
          if (signal.aborted) await exported.return();
          else signal.addEventListener('abort', () => void exported.return(), {once: true});
          const fileName = `crewroom-${exported.revision}.ndjson`;
          const rawHeaders = ['Content-Disposition', `attachment; filename="${fileName}"`];
          return streamAnswer(exported, {contentType: NDJSON_TYPE, rawHeaders});
        },
      },
    },
    {
      path: '/api/import',
      operations: {
        POST: async ({request, query}) => {
          const {IMPORT_QUERY, readParameters} = await import('../openapi/schemas.ts');
          const {mode, 'dry-run': dryRun} = readParameters(query, IMPORT_QUERY);
          assertPlainBody(request);
          return answer(formatImported(await transfer.import(request.readChunks(), {mode, dryRun})));
        },
      },
    },
  ];
}

/** One JSON text a line; it has no registered type, and this is what others call it. */
export const NDJSON_TYPE = 'application/x-ndjson';

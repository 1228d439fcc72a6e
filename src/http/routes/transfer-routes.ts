import {EXPORT_QUERY, IMPORT_QUERY} from '../../documents/queries.ts';
import type {CallerTransfer} from '../../domain/commits/transfer.ts';
import {formatImported} from '../../protocol/transfer/imported.ts';
import {assertPlainBody} from '../core/body.ts';
import {answer, streamAnswer} from '../core/message.ts';
import {parseQuery, type Route} from '../core/route.ts';
import {readParameters} from './read-parameters.ts';

/** `/api/export`, `/api/import`: writes and reads entries as lines. */
export function transferRoutes(transfer: CallerTransfer): readonly Route[] {
  return [
    {
      path: '/api/export',
      needs: ({query}) => `entries:read:${parseQuery(query)['prefix'] ?? ''}`,
      GET: async ({request: {signal}, query}) => {
        const exported = await transfer.export(readParameters(query, EXPORT_QUERY));
        // End the export even if its body is never iterated, as with HEAD: the store would wait for it.
        if (signal.aborted) await exported.return();
        else signal.addEventListener('abort', () => void exported.return(), {once: true});
        const fileName = `crewroom-${exported.revision}.ndjson`;
        const rawHeaders = ['Content-Disposition', `attachment; filename="${fileName}"`];
        return streamAnswer(exported, {contentType: NDJSON_TYPE, rawHeaders});
      },
    },
    {
      path: '/api/import',
      needs: 'entries:write:',
      POST: async ({request, query, caller}) => {
        const {mode, since, 'dry-run': dryRun} = readParameters(query, IMPORT_QUERY);
        assertPlainBody(request);
        return answer(
          formatImported(
            await transfer.import(request.readChunks(), {mode, since, dryRun, writtenBy: caller.principal}),
          ),
        );
      },
    },
  ];
}

/** Content type of NDJSON, one JSON text a line. Not registered, but widely used. */
export const NDJSON_TYPE = 'application/x-ndjson';

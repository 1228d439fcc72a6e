import {EXPORT_QUERY, IMPORT_QUERY, SNAPSHOT_QUERY} from '../../core/documents/queries.ts';
import type {Owner} from '../../core/domain/access/owner.ts';
import type {CallerTransfer, Snapshots} from '../../core/domain/commits/transfer.ts';
import {formatImported} from '../../core/protocol/service-documents.ts';
import {assertPlainBody} from '../core/body.ts';
import {answer, jsonAnswer, streamAnswer} from '../core/message.ts';
import {parseQuery, type Route} from '../core/route.ts';
import {forOwner} from './own-callers.ts';
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
        const {mode, keepAfter, dryRun} = readParameters(query, IMPORT_QUERY);
        assertPlainBody(request);
        return answer(
          formatImported(
            await transfer.import(request.readChunks(), {mode, keepAfter, dryRun, writtenBy: caller.principal}),
          ),
        );
      },
    },
  ];
}

/** `/api/snapshots`: saves entries before the console replaces them. For the owner: others could displace the snapshots of real mistakes. */
export function snapshotRoutes(snapshots: Snapshots, owner: Pick<Owner, 'isOwner'>): readonly Route[] {
  return [
    {
      path: '/api/snapshots',
      needs: 'by-operation',
      POST: forOwner(owner)(async ({query}) => {
        const {prefix} = readParameters(query, SNAPSHOT_QUERY);
        const saved = await snapshots.saveBeforeImport(prefix);
        if (saved === undefined) return jsonAnswer({});
        return jsonAnswer({...saved, revision: String(saved.revision)}, {status: 201});
      }),
    },
  ];
}

/** Content type of NDJSON, one JSON text a line. Not registered, but widely used. */
export const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8';

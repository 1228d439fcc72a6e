import {SNAPSHOT_QUERY} from '../../documents/queries.ts';
import type {Owner} from '../../domain/access/owner.ts';
import type {Snapshots} from '../../domain/commits/snapshots.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {forOwner} from './own-callers.ts';
import {readParameters} from './read-parameters.ts';

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

import type {UserSettings} from '../../domain/plugins/user-settings.ts';
import {AppError} from '../../failures/app-error.ts';
import {formatAvailableSettings} from '../../protocol/plugin/available-settings.ts';
import {CLIENT_REQUEST_BYTES_MAX, isMembers, readBody} from '../../protocol/plugin/client-request.ts';
import {readJsonBody} from '../core/body.ts';
import {answer, type HttpAnswer, jsonAnswer} from '../core/message.ts';
import {type Call, decodeName, type Route} from '../core/route.ts';
import {assertNoQuery, assertNoQueryButRandom} from './no-query.ts';

/** `/api/settings`: settings of the client and of each plugin, with defaults filled in. */
export function settingsRoutes(settings: UserSettings): readonly Route[] {
  return [
    {
      path: '/api/settings',
      needs: 'settings:read:core',
      operations: {
        GET: async ({caller, query}) => {
          assertNoQueryButRandom(query);
          const all = Object.entries(await settings.all());
          return jsonAnswer(Object.fromEntries(all.filter(([id]) => caller.may(`settings:read:${id}`))));
        },
      },
    },
    {
      path: '/api/settings/{id}',
      needs: {read: call => `settings:read:${idOf(call)}`, change: call => `settings:write:${idOf(call)}`},
      operations: {
        GET: async ({segments: [id = ''], query}) => {
          assertNoQueryButRandom(query);
          return jsonAnswer(await settings.get(decodeName(id)));
        },
        PUT: call => update(call, settings),
      },
    },
    {
      path: '/api/settings/{id}/available',
      needs: call => `settings:read:${idOf(call)}`,
      operations: {
        GET: ({segments: [id = ''], query}) => {
          assertNoQueryButRandom(query);
          return answer(formatAvailableSettings(settings.available(decodeName(id))));
        },
      },
    },
  ];
}

function idOf({segments: [id = '']}: Pick<Call, 'segments'>): string {
  return decodeName(id);
}

async function update({request, segments: [id = ''], query}: Call, settings: UserSettings): Promise<HttpAnswer> {
  assertNoQuery(query);
  const plugin = decodeName(id);
  const changes = readBody(await readJsonBody(request, CLIENT_REQUEST_BYTES_MAX));
  if (isMembers(changes)) return jsonAnswer(await settings.update(plugin, changes));
  const problems = [{path: '$', problem: 'is not an object'}];
  throw new AppError({code: 'invalid-plugin-settings', plugin, problems});
}

import type {Caller} from '../../core/domain/access/access.ts';
import {decodeIfEncoded} from '../../core/domain/percent-encoding.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {Route} from '../core/route.ts';
import {type CalledRoute, callPlugin} from './plugin-routes.ts';
import type {RoutesDeps} from './routes-deps.ts';

/** Maximum number of valid addresses at once: a program plays the last sound, and may still load the one before. */
const KEPT_MAX = 20;

/** Size of the secret of an address, in bytes: 128 bits are not guessed. */
const SECRET_BYTES = 16;

/** Addresses of sounds that only a plugin may load, for the program that plays them. */
export type SoundAddresses = ReturnType<typeof createSoundAddresses>;

/** Creates the addresses of sounds. */
export function createSoundAddresses(deps: RoutesDeps) {
  const {accessMode, randomBytes} = deps;
  const targets = new Map<string, CalledRoute>();
  const route: Route = {
    path: '/api/play-sound/{sound}',
    needs: 'nothing',
    GET: call => {
      const target = targets.get(call.segments[0] ?? '');
      if (target === undefined) throw new AppError({code: 'no-resource', path: '/api/play-sound/…'});
      return callPlugin('GET', deps, target)(call);
    },
  };
  return {
    /**
     * Returns an address at which the route of a plugin can be loaded without credentials, if the caller that names the route may call it: the program
     * that plays a sound then needs no rights, and sends none to an address that a plugin chose. Other addresses stay, as do all in the mode `open`.
     */
    addressFor: (url: string, service: string, caller: Caller): string => {
      const target = accessMode === 'open' ? undefined : readTarget(url, service);
      if (target === undefined || !caller.may(`routes:call:${target.id}`)) return url;
      const secret = Buffer.from(randomBytes(SECRET_BYTES)).toString('hex');
      targets.set(secret, target);
      const [oldest] = targets.keys();
      if (targets.size > KEPT_MAX && oldest !== undefined) targets.delete(oldest);
      return `${service}/api/play-sound/${secret}`;
    },
    route,
  };
}

/** Reads the route of a plugin from an address of the service; undefined for any other address. */
function readTarget(url: string, service: string): CalledRoute | undefined {
  const path = url.startsWith('/') ? url : url.startsWith(`${service}/`) ? url.slice(service.length) : '';
  const [, id = '', name = ''] = /^\/api\/([^/?#]+)\/([^/?#]+)(?:\?[^#]*)?$/.exec(path) ?? [];
  // Other paths of the service have no dot there.
  return id.includes('.') ? {id: decodeIfEncoded(id), name: decodeIfEncoded(name), url: path} : undefined;
}

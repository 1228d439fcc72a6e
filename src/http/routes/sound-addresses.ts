import type {AccessMode, Caller} from '../../domain/access/access.ts';
import {AppError} from '../../failures/app-error.ts';
import {decodeName, type Route} from '../core/route.ts';
import type {PluginCaller} from './plugin-routes.ts';

/** Maximum number of addresses that are valid at once: a program plays the last sound, and may still load the one before. */
const KEPT_MAX = 20;

/** Size of the secret of an address, in bytes: 128 bits are not guessed. */
const SECRET_BYTES = 16;

export interface SoundAddressesDeps {
  readonly mode: AccessMode;
  readonly callPlugin: PluginCaller;
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
}

/** Addresses of sounds that only a plugin may load, for the program that plays them. */
export interface SoundAddresses {
  /**
   * Returns an address at which the route of a plugin can be loaded without credentials, if the caller that names the route may call it: the program that
   * plays a sound then needs no rights, and sends none to an address that a plugin chose. Other addresses stay, as do all in the mode `open`.
   */
  addressFor(url: string, service: string, caller: Caller): string;
  readonly route: Route;
}

/** Creates the addresses of sounds. */
export function createSoundAddresses({mode, callPlugin, randomBytes}: SoundAddressesDeps): SoundAddresses {
  const targets = new Map<string, SoundTarget>();
  return {
    addressFor: (url, service, caller) => {
      const target = mode === 'open' ? undefined : readTarget(url, service);
      if (target === undefined || !caller.may(`routes:call:${target.id}`)) return url;
      const secret = Buffer.from(randomBytes(SECRET_BYTES)).toString('hex');
      targets.set(secret, target);
      const [oldest] = targets.keys();
      if (targets.size > KEPT_MAX && oldest !== undefined) targets.delete(oldest);
      return `${service}/api/play-sound/${secret}`;
    },
    route: {
      path: '/api/play-sound/{sound}',
      needs: 'nothing',
      operations: {
        GET: ({request, segments: [secret = '']}) => {
          const target = targets.get(secret);
          if (target === undefined) throw new AppError({code: 'no-resource', path: '/api/play-sound/…'});
          return callPlugin(request, {...target, method: 'GET'});
        },
      },
    },
  };
}

/** Route of a plugin, and the path by which it is called. */
interface SoundTarget {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/** Reads the route of a plugin from an address of the service; undefined for any other address. */
function readTarget(url: string, service: string): SoundTarget | undefined {
  const path = url.startsWith('/') ? url : url.startsWith(`${service}/`) ? url.slice(service.length) : '';
  const [, id = '', name = ''] = /^\/api\/([^/?#]+)\/([^/?#]+)(?:\?[^#]*)?$/.exec(path) ?? [];
  // Other paths of the service have no dot there.
  return id.includes('.') ? {id: decodeName(id), name: decodeName(name), url: path} : undefined;
}

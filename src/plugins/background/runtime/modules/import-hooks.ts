import {hostFileOf, SDK_MODULE} from '../program/places.ts';
import {isHostModule, isMissing, isSdk} from './host-module-names.ts';

/** Resolution of an import. */
export interface Resolution {
  readonly url: string;
  readonly shortCircuit?: boolean | undefined;
}

/** Resolves an import as Node does. */
export type NextResolve<R> = (name: string, context: ImportContext) => R;

/** Module that imports. */
export interface ImportContext {
  readonly parentURL?: string | undefined;
}

/** Resolves an import in the thread of hooks (`module.register`): the host's modules come after the plugin's. */
export async function resolve(
  name: string,
  context: ImportContext,
  next: NextResolve<Promise<Resolution>>,
): Promise<Resolution> {
  try {
    return await next(name, context);
  } catch (error) {
    return resolveInHost(name, error) ?? next(name, {...context, parentURL: hostFileOf(name)});
  }
}

/** Resolves an import in the thread of the plugin (`module.registerHooks`). */
export function resolveNow(name: string, context: ImportContext, next: NextResolve<Resolution>): Resolution {
  try {
    return next(name, context);
  } catch (error) {
    return resolveInHost(name, error) ?? next(name, {...context, parentURL: hostFileOf(name)});
  }
}

/** Returns the SDK, or undefined for other modules of the host. Throws the error for all other modules. */
function resolveInHost(name: string, error: unknown): Resolution | undefined {
  if (!isHostModule(name) || !isMissing(error)) throw error;
  return isSdk(name) ? {url: SDK_MODULE.href, shortCircuit: true} : undefined;
}

import type {PageServer} from './page-server.ts';

/** Opens the proxy to a dev server. Loaded on demand: only services for authors of plugins have one. */
export async function openProxy(address: string): Promise<PageServer> {
  const {openPageServer} = await import('./page-server.ts');
  return openPageServer(address);
}

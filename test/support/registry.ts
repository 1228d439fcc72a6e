import {createServer, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import {json} from 'node:stream/consumers';

/** Body of the request with which npm publishes a version of a package. */
interface Publication {
  readonly name: string;
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, object>>;
  readonly _attachments: Readonly<Record<string, {readonly data: string}>>;
}

/** A registry of npm on loopback, in memory. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** Names of the packages that were published. */
  published(): readonly string[];
}

/**
 * Opens a registry that keeps what is published.
 *
 * @param upstream Address of the registry to which it sends npm for all other packages, with a slash at its end. Without one it has no others.
 */
export async function openRegistry(upstream?: string): Promise<Registry> {
  const packages = new Map<string, object>();
  const archives = new Map<string, Buffer>();
  const publish = async (request: IncomingMessage): Promise<void> => {
    const {name, versions, _attachments, ...others} = (await json(request)) as Publication;
    packages.set(name, {...others, name, versions});
    for (const [file, {data}] of Object.entries(_attachments))
      archives.set(`/${name}/-/${file}`, Buffer.from(data, 'base64'));
  };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    if (request.method === 'PUT') {
      await publish(request);
      response.writeHead(201, {'Content-Type': 'application/json'}).end('{}');
    } else if (packages.has(path.slice(1)))
      response.writeHead(200, {'Content-Type': 'application/json'}).end(JSON.stringify(packages.get(path.slice(1))));
    else if (archives.has(path)) response.writeHead(200).end(archives.get(path));
    else if (upstream === undefined) response.writeHead(404, {'Content-Type': 'application/json'}).end('{}');
    else response.writeHead(302, {Location: new URL(`.${request.url}`, upstream).href}).end();
  });
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    published: () => [...packages.keys()].sort(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

import {join} from 'node:path';
import type {AccessMode} from '../../src/core/domain/access/access.ts';
import {bearer} from './access-tokens.ts';
import {readOwnerToken} from './owner-file.ts';
import {writePlugin} from './plugin-folder.ts';
import {type PluginService, startPlugins, untilRunning} from './plugin-service.ts';
import {callService, type TestService} from './service.ts';

/** Kinds of callers that the table of access distinguishes. A page is that of the plugin `com.a`; another page is that of the console, without a code. */
export type CallerKind = 'owner' | 'program' | 'page' | 'page in the console' | 'background' | 'other page';

/** A request as a caller sends it. */
export interface SentCall {
  readonly line: string;
  readonly body?: string | undefined;
}

/** Status and text of an answer. */
export interface CallAnswer {
  readonly status: number;
  readonly text: string;
}

/** A background that sends the requests that the test asks for, as itself. */
const BACKGROUND = `
exports.routes = {
  get: {x: {description: 'Its own route', handler: (req, res) => res.json({})}},
  post: {
    call: {description: 'Calls the service', handler: async (req, res) => {
      const {line, body} = req.body;
      const [method, path] = line.split(' ');
      const sent = body === undefined || method === 'GET' ? {} : {body};
      const answer = await fetch('http://localhost:7172' + path, {method, ...sent});
      res.json({status: answer.status, text: await answer.text()});
    }},
  },
};
`;

/** Starts a service with the pages of plugins, `com.a` among them, for the rest of a test. */
export function startPages(access: AccessMode, others: readonly string[] = ['com.b']): Promise<PluginService> {
  return startPlugins(
    async directory => {
      for (const id of ['com.a', ...others]) await writePlugin(join(directory, id), {'ui/index.html': '<p>A page'});
    },
    {ephemeral: true, access},
  );
}

/** Starts a service with the plugins `com.a`, which has a page and a background, and `com.b`, which has a page, for the rest of a test. */
export async function startCallers(access: AccessMode): Promise<PluginService> {
  const service = await startPlugins(
    async directory => {
      const files = {'background/index.js': BACKGROUND, 'ui/index.html': '<p>A page'};
      await writePlugin(join(directory, 'com.a'), files);
      await writePlugin(join(directory, 'com.b'), {'ui/index.html': '<p>A page'});
    },
    {ephemeral: true, access},
  );
  await untilRunning(service.crewroom.plugins, 'com.a');
  return service;
}

/** Returns the label of the page of a plugin as a caller of `GET /api/plugins` gets it. */
export async function labelFor(service: TestService, id: string, headers: readonly string[]): Promise<string> {
  const {json} = await callService(service, `GET /api/plugins/${id}`, {headers});
  return String(json['label']);
}

/** Returns the origin of the page of `com.a`, or of another plugin: with its secret if the console of the owner opened it. */
export async function pageOrigin(service: TestService, kind: CallerKind, id = 'com.a'): Promise<string> {
  const plain = service.crewroom.plugins.status(id).label ?? '';
  const label =
    kind === 'page in the console' ? await labelFor(service, id, [bearer(await readOwnerToken(service))]) : plain;
  return `http://${label}.crewroom.localhost:${service.port}`;
}

/** Returns the headers with which callers that are no background send their requests to `localhost`. */
export async function headersOf(service: TestService, kind: CallerKind): Promise<readonly string[]> {
  switch (kind) {
    case 'owner':
      return [bearer(await readOwnerToken(service))];
    case 'page':
    case 'page in the console':
      return [`Origin: ${await pageOrigin(service, kind)}`];
    case 'other page':
      return [`Origin: http://localhost:${service.port}`];
    case 'program':
    case 'background':
      return [];
  }
}

/** Sends a request over a socket as a caller does; a background sends it from its own process. */
export async function callAs(service: PluginService, kind: CallerKind, {line, body}: SentCall): Promise<CallAnswer> {
  if (kind === 'background') return (await service.json('com.a', 'call', {line, body})) as CallAnswer;
  const response = await fetch(await requestOf(service, kind, {line, body}));
  return {status: response.status, text: await response.text()};
}

/** Returns the request of a caller that is no background. */
async function requestOf({port, ...service}: TestService, kind: CallerKind, {line, body}: SentCall): Promise<Request> {
  const [method = '', path = ''] = line.split(' ');
  const headers = (await headersOf({port, ...service}, kind)).map(header => header.split(': ', 2) as [string, string]);
  const sent = body === undefined || method === 'GET' ? {} : {body};
  return new Request(`http://localhost:${port}${path}`, {method, headers, ...sent});
}

/** Sends a request to the handle of an embedding program, with the headers of a caller that is no background. */
export async function callEmbedded(service: TestService, kind: CallerKind, call: SentCall): Promise<CallAnswer> {
  const response = await service.crewroom.fetch(await requestOf(service, kind, call));
  return {status: response.status, text: await response.text()};
}

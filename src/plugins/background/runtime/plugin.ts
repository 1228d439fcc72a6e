import type {CallMessage, ServiceMessage, StartMessage} from '../channel/message.ts';
import type {Outbox} from '../channel/outbox.ts';
import {answerCall, findRoute, findUnusable, listRoutes} from './calls/answer-call.ts';
import {describeSyntaxError, loadModule} from './modules/load-module.ts';
import {redirectCalls} from './redirect-calls.ts';
import {memberOf} from './values/member.ts';
import {logProblem, messageOfThrown, placeIn, placeOfThrown} from './values/problem.ts';

/** The plugin that this process runs. */
export class Plugin {
  readonly #outbox: Outbox;
  #directory = '';
  #module: unknown;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** Acts on a message of the service. */
  receive(message: ServiceMessage, body: Uint8Array): void {
    switch (message.kind) {
      case 'start':
        void this.#start(message, body);
        return;
      case 'call':
        this.#call(message, body);
        return;
      case 'settings':
        void this.#run('onSettingsUpdate', JSON.parse(Buffer.from(body).toString()));
        return;
      case 'end':
        void this.#run('onEnd').then(() => this.#outbox.send({kind: 'ended'}));
        return;
      default:
        message satisfies never;
    }
  }

  async #start(message: StartMessage, body: Uint8Array): Promise<void> {
    this.#directory = message.directory;
    try {
      redirectCalls(message);
      this.#module = await loadModule(message.file);
    } catch (error) {
      this.#giveUp(error, message);
      return;
    }
    const identity: unknown = JSON.parse(Buffer.from(body).toString());
    // Routes answer from now on. They do not wait for the promise of `onStart`, which may wait for a slow back end, or call a
    // route of this plugin.
    void this.#run('onStart', {...Object(identity), storagePath: message.storagePath}).then(
      failure => failure !== undefined && this.#outbox.send({kind: 'start-failed', ...failure}),
    );
    try {
      const [routes, warnings] = [listRoutes(this.#module), findUnusable(this.#module)];
      if (!this.#outbox.send({kind: 'started', routes, warnings}))
        throw new Error('its list of routes takes more than 1 MiB');
    } catch (error) {
      this.#giveUp(error, message);
    }
  }

  #giveUp(error: unknown, message: StartMessage): void {
    logProblem('The module did not load', error);
    this.#outbox.send({kind: 'not-loaded', problem: messageOfThrown(error), place: findPlace(error, message)});
  }

  #call(message: CallMessage, body: Uint8Array): void {
    const route = findRoute(this.#module, message);
    if (route === undefined) this.#outbox.send({kind: 'no-route', call: message.call});
    else answerCall({message, body, route, directory: this.#directory, outbox: this.#outbox});
  }

  /** Calls a function of the plugin, if it has one. @returns Its error, which was logged; undefined without one. */
  async #run(name: string, ...args: readonly unknown[]): Promise<Thrown | undefined> {
    try {
      const run = memberOf(this.#module, name);
      if (typeof run === 'function') await Reflect.apply(run, this.#module, args);
      return undefined;
    } catch (error) {
      logProblem(`${name} failed`, error);
      return {problem: messageOfThrown(error), place: placeOfThrown(error, this.#directory)};
    }
  }
}

/** Error of a function of the plugin. */
interface Thrown {
  readonly problem: string;
  readonly place: string | undefined;
}

/** Returns the place in the code of a plugin at which its module does not load, if it is known. */
function findPlace(error: unknown, {file, directory}: StartMessage): string | undefined {
  const place = placeOfThrown(error, directory);
  return place === undefined && error instanceof SyntaxError ? placeIn(describeSyntaxError(file), directory) : place;
}

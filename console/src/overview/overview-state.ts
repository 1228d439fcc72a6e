import {effect} from '@preact/signals';
import {callService} from '../service/call-service.ts';
import type {ServiceDocument, Session} from '../service/documents.ts';
import {Changes} from '../state/changes.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {Loaded} from '../state/loaded.ts';
import {FirstSteps} from './first-steps.ts';
import {Traffic} from './traffic.ts';

/** The session, the figures and the limits of the service, as the overview shows them. */
export class OverviewState {
  readonly session: Loaded<Session>;
  readonly service: Loaded<ServiceDocument>;
  readonly limits: Loaded<Readonly<Record<string, number>>>;
  readonly traffic: Traffic = new Traffic();
  readonly firstSteps: FirstSteps = new FirstSteps();
  readonly sessionChanges: Changes;

  constructor() {
    this.session = new Loaded(() => callService<Session>('/api/session'));
    this.sessionChanges = new Changes(this.session);
    this.service = new Loaded(() => callService<ServiceDocument>('/api'));
    this.limits = new Loaded(() => callService<Readonly<Record<string, number>>>('/api/limits'));
  }

  /** Follows the service until the signal is aborted. */
  follow(state: ConsoleState, ended: AbortSignal): void {
    const {connection, identity, faults} = state;
    this.traffic.follow(ended);
    this.firstSteps.follow(this.traffic, state, ended);
    const stopReloading = effect(() => {
      if (connection.status.value === 'connected') void this.service.reload();
    });
    const stopFollowing = effect(() => {
      // Both may change the session. The faults are read now and then, and with them the session, which becomes stale without an event.
      const areKnown = [identity, faults].filter(each => each.isKnown).length === 2;
      if (connection.status.value === 'connected' && areKnown) void this.session.reload();
    });
    ended.addEventListener('abort', stopReloading);
    ended.addEventListener('abort', stopFollowing);
  }

  /** Signs a pilot in at the airline. @returns False if that failed. */
  signIn(username: string, password: string): Promise<boolean> {
    return this.sessionChanges.send('/api/session', {method: 'POST', body: {username, password}});
  }

  signOut(): Promise<boolean> {
    return this.sessionChanges.send('/api/session', {method: 'DELETE'});
  }

  /** Asks the back end whether the session holds. */
  verify(): Promise<boolean> {
    return this.sessionChanges.send('/api/session/verify', {method: 'POST'});
  }
}

import type {Socket} from 'node:net';
import type {Connections} from './connections/connection-pool.ts';
import type {PeerCheck} from './peer-check.ts';
import {closeWithFailure, type RefuseDeps} from './refuse.ts';

export interface JudgePeerDeps {
  /** @default {every program may call} */
  readonly findPeerProblem?: PeerCheck | undefined;
  readonly connections: Connections;
}

/**
 * Judges the program at the other end of a new connection, once. Its requests are read meanwhile, and start when it is admitted. If it is
 * refused, they have no effect, and the connection is closed with the failure.
 */
export function judgePeer(socket: Socket, deps: JudgePeerDeps & RefuseDeps): void {
  const {findPeerProblem, connections} = deps;
  const connection = connections.of(socket);
  if (findPeerProblem === undefined || connection === undefined) return;
  connection.suspend();
  const {localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0} = socket;
  const own = {address: localAddress, port: localPort};
  const peer = {address: remoteAddress, port: remotePort};
  void findPeerProblem({own, peer}).then(problem => {
    if (problem === undefined) return connection.resume();
    connections.remove(connection);
    closeWithFailure(socket, problem, deps);
  });
}

import {nextTick} from '../../core/time/next-tick.ts';
import {isMissingTable, type LinuxSocket, linuxForms, SOCKET_TABLES, streamSockets} from './linux-sockets.ts';
import type {ConnectionEnds} from './socket-owner.ts';

/**
 * The id of the user whose process has the other end of a connection. `unknown` if no process has it any more, or none of this machine;
 * `unavailable` if this machine does not list its sockets; `unread` if the list could not be read for the moment, such as without a free
 * file descriptor.
 */
export type PeerUser = number | 'unknown' | 'unavailable' | 'unread';

/**
 * Number of readings after which a socket that is not listed is unknown: a list that changes while it is read may lack a socket, so one
 * reading does not decide.
 */
const READINGS_MAX = 3;

interface Search {
  /** Both addresses in the forms that the list may have: that of the client first. */
  readonly forms: readonly string[];
  readonly isV6: boolean;
  readonly found: (user: PeerUser) => void;
  readings: number;
}

/**
 * Finds the users of clients on this machine in the lists of sockets of Linux. A reading takes milliseconds: the kernel walks through its whole
 * table. There is one reading at a time. Connections that arrive meanwhile wait for the next one, since a reading lists only sockets that were open
 * when it began, and share it.
 */
export class PeerUsers {
  readonly #tables: readonly [string, string];
  #waiting: Search[] = [];
  #isReading = false;

  /** @param tables The lists of sockets of IPv4 and IPv6. */
  constructor(tables: readonly [string, string] = SOCKET_TABLES) {
    this.#tables = tables;
  }

  /** Finds the user behind an accepted connection. Always resolves, also for several calls with the same ends. */
  find({own, peer}: ConnectionEnds): Promise<PeerUser> {
    const [locals, remotes] = [linuxForms(peer), linuxForms(own)];
    const forms = locals.map((local, index) => `${local} ${remotes[index]}`);
    // The client has an IPv6 address other than loopback.
    if (forms.length === 0) return Promise.resolve('unknown');
    return new Promise(found => {
      this.#waiting.push({forms, isV6: own.address.includes(':'), found, readings: 0});
      if (!this.#isReading) void this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.length > 0) {
      const searches = this.#waiting;
      this.#waiting = [];
      await this.#read(searches);
    }
    this.#isReading = false;
  }

  /** Answers the searches that one reading decides, and enqueues the others again. */
  async #read(searches: readonly Search[]): Promise<void> {
    const open = openSearches(searches);
    // A client on IPv4 is in the second list if its socket is one for both families.
    const v4 = searches.some(({isV6}) => !isV6) ? await readTable(this.#tables[0], open) : 'empty';
    const v6 = open.size > 0 ? await readTable(this.#tables[1], open) : 'read';
    const isUnread = v4 === 'failed' || v6 === 'failed';
    // The service itself has sockets, so that lists without any do not show the sockets of this machine.
    const isAvailable = isUnread || v4 === 'read' || v6 === 'read';
    for (const search of new Set([...open.values()].flat())) {
      search.readings++;
      if (!isAvailable) search.found('unavailable');
      else if (search.readings === READINGS_MAX) search.found(isUnread ? 'unread' : 'unknown');
      else this.#waiting.push(search);
    }
    // The sockets of clients that connect meanwhile are accepted first, and share the next reading.
    if (this.#waiting.length > 0) await nextTick();
  }
}

/** The searches that a reading has not answered yet, by their forms. Several may have the same ends. */
type OpenSearches = Map<string, Search[]>;

function openSearches(searches: readonly Search[]): OpenSearches {
  const open: OpenSearches = new Map();
  for (const search of searches)
    for (const form of search.forms) {
      const others = open.get(form);
      if (others === undefined) open.set(form, [search]);
      else others.push(search);
    }
  return open;
}

/** Answers all searches for a socket. */
function answer(open: OpenSearches, {local, remote, userId, inode}: LinuxSocket): void {
  for (const {forms, found} of open.get(`${local} ${remote}`) ?? []) {
    // A socket without a process is listed as that of root.
    found(inode === '0' ? 'unknown' : userId);
    for (const form of forms) open.delete(form);
  }
}

/** Outcome of a reading: sockets were listed, none was or the list does not exist, or reading failed for the moment. */
type TableReading = 'read' | 'empty' | 'failed';

/** Reads a list until all open searches are answered. */
async function readTable(path: string, open: OpenSearches): Promise<TableReading> {
  let reading: TableReading = 'empty';
  try {
    for await (const sockets of streamSockets(path)) {
      if (sockets.length > 0) reading = 'read';
      for (const socket of sockets) answer(open, socket);
      if (open.size === 0) break;
    }
    return reading;
  } catch (error) {
    return isMissingTable(error) ? reading : 'failed';
  }
}

import {setImmediate} from 'node:timers/promises';
import {codeOf} from '../failures/error-text.ts';
import {type LinuxSocket, linuxForms, SOCKET_TABLES, streamSockets} from './linux-sockets.ts';
import type {ConnectionEnds} from './socket-owner.ts';

/**
 * The id of the user whose process has the other end of a connection. `unknown` if no process has it any more, or none of this machine;
 * `unavailable` if this machine does not list its sockets.
 */
export type PeerUser = number | 'unknown' | 'unavailable';

/** Finds the users of clients on this machine. */
export interface PeerUsers {
  /** Finds the user behind a connection that was accepted. Never rejects. */
  find(ends: ConnectionEnds): Promise<PeerUser>;
}

/** Dependencies of {@link createPeerUsers}. */
export interface PeerUsersDeps {
  /** The lists of sockets of IPv4 and IPv6. @default {those of Linux} */
  readonly tables?: readonly [string, string];
}

/**
 * Number of readings after which a socket that is not listed is unknown: a list that changes while it is read may lack a socket, so one
 * reading does not decide.
 */
const READINGS_MAX = 3;

/**
 * Creates a finder that reads the lists of sockets of Linux, which takes milliseconds: the kernel walks through its whole table. There is
 * one reading at a time. Connections that arrive meanwhile wait for the next one, since a reading lists only sockets that were open when
 * it began, and share it.
 */
export function createPeerUsers({tables = SOCKET_TABLES}: PeerUsersDeps = {}): PeerUsers {
  return new SharedReadings(tables);
}

interface Search {
  /** Both addresses in the forms that the list may have: that of the client first. */
  readonly forms: readonly string[];
  readonly isV6: boolean;
  readonly found: (user: PeerUser) => void;
  readings: number;
}

class SharedReadings implements PeerUsers {
  readonly #tables: readonly [string, string];
  #waiting: Search[] = [];
  #isReading = false;

  constructor(tables: readonly [string, string]) {
    this.#tables = tables;
  }

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
    const open = new Map(searches.flatMap(search => search.forms.map(form => [form, search] as const)));
    // A client on IPv4 is in the second list if its socket is one for both families.
    const v4 = searches.some(({isV6}) => !isV6) ? await readTable(this.#tables[0], open) : 'empty';
    const v6 = open.size > 0 ? await readTable(this.#tables[1], open) : 'read';
    // The service itself has sockets, so that lists without any do not show the sockets of this machine.
    const isAvailable = v4 === 'read' || v6 === 'read' || v4 === 'failed' || v6 === 'failed';
    for (const search of new Set(open.values())) {
      search.readings++;
      if (!isAvailable) search.found('unavailable');
      else if (search.readings === READINGS_MAX) search.found('unknown');
      else this.#waiting.push(search);
    }
    // The sockets of clients that connect meanwhile are accepted first, and share the next reading.
    if (this.#waiting.length > 0) await setImmediate();
  }
}

/** Outcome of a reading: sockets were listed, none was or the list does not exist, or reading failed for the moment. */
type TableReading = 'read' | 'empty' | 'failed';

/** Codes of errors with which a list that does not exist, or that this process may not read, is opened. */
const MISSING: readonly unknown[] = ['ENOENT', 'EACCES', 'EPERM'];

/** Reads a list until all open searches are answered, and removes those that are. */
async function readTable(path: string, open: Map<string, Search>): Promise<TableReading> {
  let reading: TableReading = 'empty';
  try {
    for await (const sockets of streamSockets(path)) {
      if (sockets.length > 0) reading = 'read';
      for (const socket of sockets) answer(socket, open);
      if (open.size === 0) break;
    }
    return reading;
  } catch (error) {
    // Any other error, such as too many open files, may be the work of the client.
    return MISSING.includes(codeOf(error)) ? reading : 'failed';
  }
}

function answer({local, remote, userId, inode}: LinuxSocket, open: Map<string, Search>): void {
  const search = open.get(`${local} ${remote}`);
  if (search === undefined) return;
  for (const form of search.forms) open.delete(form);
  // A socket without a process is listed as that of root.
  search.found(inode === '0' ? 'unknown' : userId);
}

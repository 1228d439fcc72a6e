import type {Crewroom} from 'crewroom';
import {openSlowLink} from '../../test/support/slow-link.ts';

/** Time to a member and back, in milliseconds, and the bytes in each that a link of 1 Mbit/s carries. */
const ROUND_TRIP_MS = 100;
const BYTES_PER_MS = 125;

/** Entries that are listed, with values of 4 KB, and those that are exported, of 100 bytes, and the number of them that are written at once. */
const LISTED = 1000;
const EXPORTED = 20_000;
const WRITTEN = 250;

/** Work behind a link of some Mbit/s, and its longest time that is wanted, in milliseconds. */
interface LinkWork {
  readonly name: string;
  readonly mbits: number;
  readonly mostMs: number;
  readonly run: (service: Crewroom) => Promise<unknown>;
}

const listKeys: LinkWork['run'] = ({entries}) => entries.list({prefix: 'listed/', limit: LISTED});
const listValues: LinkWork['run'] = ({entries}) => entries.list({prefix: 'listed/', limit: LISTED, values: true});
const exportAll: LinkWork['run'] = async ({transfer}) => {
  for await (const _ of await transfer.export({prefix: 'exported/'}));
};

/** The work that is measured. */
export const LINK_WORK: readonly LinkWork[] = [
  {name: 'list of 1,000 keys with values of 4 KB', mbits: 10, mostMs: 4000, run: listKeys},
  {name: 'list of 1,000 keys with values of 4 KB', mbits: 100, mostMs: 1300, run: listKeys},
  {name: 'list of 1,000 values of 4 KB', mbits: 10, mostMs: 5500, run: listValues},
  {name: 'list of 1,000 values of 4 KB', mbits: 100, mostMs: 2000, run: listValues},
  {name: 'get of 1 MiB', mbits: 100, mostMs: 600, run: ({entries}) => entries.get('large')},
  {name: 'export of 20,000 values of 100 bytes', mbits: 100, mostMs: 6000, run: exportAll},
];

/** Times of the work of {@link LINK_WORK}, in its order, in milliseconds, one figure per round. */
export type LongLink = readonly (readonly number[])[];

/** Writes what {@link measureLongLink} reads. */
export async function writeForLink({entries}: Crewroom): Promise<void> {
  const puts = [
    ...Array.from({length: LISTED}, (_, index) => [`listed/${index}`, 4096] as const),
    ...Array.from({length: EXPORTED}, (_, index) => [`exported/${index}`, 100] as const),
    ['large', 1024 * 1024] as const,
  ];
  for (let at = 0; at < puts.length; at += WRITTEN)
    await Promise.all(puts.slice(at, at + WRITTEN).map(([key, bytes]) => entries.put(key, '.'.repeat(bytes - 2))));
}

/** Does the work once, each behind a link of its own to a member. @returns Its times, in milliseconds. */
export async function measureLongLink(
  member: string,
  open: (address: string) => Promise<Crewroom>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const {mbits, run} of LINK_WORK) {
    await using link = await openSlowLink(member, {
      bytesPerMs: mbits * BYTES_PER_MS,
      delayMs: ROUND_TRIP_MS / 2,
    });
    await using service = await open(link.address);
    const startMs = performance.now();
    await run(service);
    times.push(performance.now() - startMs);
  }
  return times;
}

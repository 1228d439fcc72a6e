import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {TrackRow} from './flight-tracks.ts';

/** A node of the property tree, as FlightGear's web server sends it. */
interface PropertyNode {
  readonly name: string;
  readonly index: number;
  readonly value?: unknown;
  readonly children?: readonly PropertyNode[];
}

const leaf = (name: string, value: unknown): PropertyNode => ({name, index: 0, value});
const folder = (name: string, children: readonly PropertyNode[], index = 0): PropertyNode => ({name, index, children});

/** Returns the folders of properties that a row of a track fills. */
function propertiesOf(row: TrackRow): Readonly<Record<string, PropertyNode>> {
  const gear = [0, 1, 2].map(index => folder('gear', [leaf('wow', row['onGround'] === 1)], index));
  return {
    position: folder('position', [
      leaf('latitude-deg', row['latitude']),
      leaf('longitude-deg', row['longitude']),
      leaf('altitude-ft', row['altitudeFeet']),
      leaf('altitude-agl-ft', row['heightFeet']),
    ]),
    velocities: folder('velocities', [
      leaf('groundspeed-kt', row['groundSpeedKnots']),
      leaf('vertical-speed-fps', (row['verticalSpeedFeetPerMinute'] ?? 0) / 60),
    ]),
    accelerations: folder('accelerations', [leaf('pilot-g', row['gForce'])]),
    gear: folder('gear', gear),
    engines: folder('engines', [folder('engine', [leaf('running', row['enginesFiring'] === 1)])]),
    'sim/time': folder('time', [leaf('elapsed-sec', row['timeSeconds'])]),
    'sim/speed-up': leaf('speed-up', 1),
  };
}

/** Starts a stand-in for the web server of FlightGear. Each reading of the position is of the next row, and the last one stays. */
export async function startFlightGear(rows: readonly TrackRow[]): Promise<AsyncDisposable & {readonly url: string}> {
  let at = -1;
  let seconds = 0;
  const server = createServer(({url = ''}, answer) => {
    const [, path = ''] = /^\/json\/(.+)\?d=2$/.exec(url) ?? [];
    if (path === 'position') [at, seconds] = [Math.min(at + 1, rows.length - 1), seconds + 1];
    const row = {...rows[at], timeSeconds: seconds};
    answer
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify(propertiesOf(row)[path] ?? folder(path, [])));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

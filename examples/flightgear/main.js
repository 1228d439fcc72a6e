// Reports the flight of a running FlightGear to Crewroom, ten frames a second. A program of another simulator replaces `readFrame()`.
// Start the simulator with its web server, on this machine only: fgfs --httpd=127.0.0.1:5480
// Then run: node examples/flightgear/main.js [http://127.0.0.1:5480] [http://localhost:7172]

const [simulator = 'http://127.0.0.1:5480', crewroom = 'http://localhost:7172'] = process.argv.slice(2);

/** Time between two frames, in milliseconds. */
const INTERVAL_MS = 100;

/** Time after which a simulator that does not answer, or another failure, is asked again, in milliseconds. */
const PAUSE_MS = 2000;

/** Folders of properties of FlightGear, which one request reads each: those of the whole simulator are too many. */
const FOLDERS = [
  ...['position', 'orientation', 'velocities', 'accelerations', 'gear', 'engines'],
  ...['controls/gear', 'controls/flight', 'sim/time', 'sim/freeze', 'sim/speed-up'],
];

/** Reads the values below a folder: nodes with `name`, `index` and `value` or `children`, as {"gear/gear[1]/wow": true}. */
async function readFolder(folder) {
  const answer = await fetch(`${simulator}/json/${folder}?d=2`, {signal: AbortSignal.timeout(PAUSE_MS)});
  if (!answer.ok) throw new Error(`${simulator} answered ${answer.status} for /${folder}`);
  const values = {};
  const add = ({value, children = []}, path) => {
    if (value !== undefined && value !== '') values[path] = value;
    for (const child of children) add(child, `${path}/${child.name}${child.index ? `[${child.index}]` : ''}`);
  };
  add(await answer.json(), folder);
  return values;
}

/** Reads one frame. What the simulator does not have stays undefined, and is not sent: never a made-up number. */
async function readFrame() {
  const values = Object.assign({}, ...(await Promise.all(FOLDERS.map(readFolder))));
  const number = path => (Number.isFinite(Number(values[path] ?? Number.NaN)) ? Number(values[path]) : undefined);
  const flag = path => (values[path] === undefined ? undefined : [true, 'true', 1, '1'].includes(values[path]));
  const climb = number('velocities/vertical-speed-fps');
  const wheels = ['gear/gear', 'gear/gear[1]', 'gear/gear[2]'].map(gear => flag(`${gear}/wow`));
  const engines = ['engines/engine', 'engines/engine[1]', 'engines/engine[2]', 'engines/engine[3]']
    .map(engine => flag(`${engine}/running`))
    .filter(running => running !== undefined);
  const heading = number('orientation/heading-deg');
  return {
    timeSeconds: number('sim/time/elapsed-sec'),
    latitude: number('position/latitude-deg'),
    longitude: number('position/longitude-deg'),
    altitudeFeet: number('position/altitude-ft'),
    heightFeet: number('position/altitude-agl-ft'),
    headingDegrees: heading === undefined ? undefined : (heading + 360) % 360,
    groundSpeedKnots: number('velocities/groundspeed-kt'),
    indicatedAirspeedKnots: number('velocities/airspeed-kt'),
    verticalSpeedFeetPerMinute: climb === undefined ? undefined : climb * 60,
    gForce: number('accelerations/pilot-g'),
    onGround: wheels.every(wheel => wheel === undefined) ? undefined : wheels.includes(true),
    enginesFiring: engines.length === 0 ? undefined : engines,
    gearDown: flag('controls/gear/gear-down'),
    flapsRatio: number('controls/flight/flaps'),
    isPaused: flag('sim/freeze/clock'),
    simulationRate: number('sim/speed-up'),
    clockSeconds: number('sim/time/local-day-seconds'),
  };
}

/** Sends a frame. @returns The id of the reporter. */
async function report(frame, reporterId) {
  const token = process.env.CREWROOM_TOKEN;
  const answer = await fetch(`${crewroom}/api/flight/frames`, {
    method: 'POST',
    headers: {'Content-Type': 'application/json', ...(token && {Authorization: `Bearer ${token}`})},
    body: JSON.stringify({...frame, ...(reporterId ? {reporterId} : {simulator: 'FlightGear'})}),
  });
  const document = await answer.json();
  if (answer.ok) return document;
  throw Object.assign(new Error(`${document.detail}. ${document.advice}`), {code: document.code});
}

const wait = delayMs => new Promise(resolve => setTimeout(resolve, delayMs));

let reporterId;
let [phase, said] = ['', ''];
for (;;) {
  try {
    const reported = await report(await readFrame(), reporterId);
    reporterId = reported.reporterId;
    if (reported.phase !== phase) console.log(reported.phase);
    [phase, said] = [reported.phase, ''];
    await wait(INTERVAL_MS);
  } catch (error) {
    // After a pause of ten seconds, or a restart of either program, the next frame is the first of a new reporter.
    if (error.code === 'no-reporter') reporterId = undefined;
    if (error.message !== said) console.error(error.message);
    said = error.message;
    await wait(error.code === 'no-reporter' ? 0 : PAUSE_MS);
  }
}

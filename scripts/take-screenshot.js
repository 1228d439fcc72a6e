#!/usr/bin/env node
// Takes the picture at the beginning of README.md: `npm run screenshot`, when the console looks different. Needs Chromium, at
// `CHROMIUM_PATH` if it is not Debian's. The picture is the only generated file in git: pages that show README.md do not build.
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {openCrewroom} from 'crewroom';
import {chromium} from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const picture = join(root, 'docs', 'console.png');

/** The entry that the picture shows. */
const open = 'com.example.ofp/CRW118';

/** Entries of some plugins. */
const entries = {
  'com.example.charts/pinned': ['LPMA', 'LOWI', 'EGLC'],
  'com.example.charts/settings': {nightMode: true, scale: 1.25},
  'com.example.metar/EDDF': 'EDDF 231720Z 24008KT 9999 FEW030 11/06 Q1019',
  'com.example.metar/LPMA': 'LPMA 231730Z 04015G27KT 9999 SCT022 19/13 Q1022',
  'com.example.ofp/CRW042': {from: 'EGLC', to: 'EDDF', alternate: 'EDDK'},
  [open]: {
    from: 'EDDF',
    to: 'LPMA',
    alternate: 'LPPS',
    route: 'ANEKI Y163 NATOR UN869 VERAM UZ218 TOSDI',
    aircraft: {type: 'A20N', registration: 'D-CREW'},
    payload: {passengers: 162, cargoKg: 1840},
    fuel: {blockKg: 12450, tripKg: 9180, reserveKg: 1120},
  },
  'com.example.ofp/CRW204': {from: 'LPMA', to: 'LPPT', alternate: 'LPFR'},
  'com.example.ofp/CRW311': {from: 'LPPT', to: 'LOWI', alternate: 'EDDM'},
  'com.example.ofp/settings': {units: 'kg', costIndex: 18},
  'com.example.radio/muted': false,
  'com.example.radio/presets': {tower: 118.1, ground: 121.9, atis: 123.85},
  'com.example.radio/volume': 0.8,
  'com.example.tablet/layout': ['ofp', 'charts', 'metar'],
};

const crewroom = await openCrewroom({store: 'memory', port: 0, devPlugins: [join(root, 'examples', 'plugin')]});
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const {port} = await crewroom.listen();
  await crewroom.plugins.ready();
  for (const [key, value] of Object.entries(entries))
    await crewroom.entries.put(key, Buffer.from(JSON.stringify(value, undefined, 2)));
  const page = await browser.newPage({
    viewport: {width: 1280, height: 720},
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await page.goto(`http://crewroom.localhost:${port}/#/entries/${encodeURIComponent(open)}`);
  await page.getByRole('textbox', {name: 'Value'}).getByText('reserveKg').waitFor();
  await page.getByTitle(Object.keys(entries).at(-1)).waitFor();
  await page.getByRole('link', {name: 'Logbook'}).waitFor();
  await page.screenshot({path: picture});
} finally {
  await browser.close();
  await crewroom[Symbol.asyncDispose]();
}

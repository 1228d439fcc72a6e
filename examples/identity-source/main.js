// Crewroom in a client that signs its pilots in itself.
// Run it: node examples/identity-source/main.js
// @ts-check
import {readFile} from 'node:fs/promises';
import {openCrewroom} from 'crewroom';
import {createOwnSource} from './source.js';

const source = createOwnSource();
const crewroom = await openCrewroom({store: 'memory', port: 0, openIdentity: async () => source});
const {urls} = await crewroom.listen();
const read = async () => (await fetch(`${urls[0]}/api/identity`)).status;
console.log('before', await read());

// Your sign-in composes this document; here it is in a file.
source.use(JSON.parse(await readFile(new URL('pilot.json', import.meta.url), 'utf8')));
console.log('signed in', await read());

source.use();
console.log('signed out', await read());
await crewroom[Symbol.asyncDispose]();

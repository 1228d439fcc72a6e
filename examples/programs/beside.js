// A program with Crewroom inside, whose other parts use the same client as programs outside. Run it: node examples/programs/beside.js
// @ts-check
import {openCrewroom} from 'crewroom';
import {createClient} from 'crewroom/client';

const crewroom = await openCrewroom({store: 'memory', port: 0});
try {
  await crewroom.listen();
  const client = createClient({baseUrl: crewroom.url});
  for (const {entries} of [crewroom, client]) {
    await entries.put('com.example.hello/flights', {count: 1});
    const found = await entries.get('com.example.hello/flights');
    console.log(found?.revision, found?.text);
  }
} finally {
  await crewroom[Symbol.asyncDispose]();
}

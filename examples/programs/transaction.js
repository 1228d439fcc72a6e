// Stores a flight and counts it, both or neither. Run it: node examples/programs/transaction.js [URL]
// @ts-check
import {createClient} from 'crewroom/client';

const {entries} = createClient({baseUrl: process.argv[2] ?? 'http://localhost:7172'});
const flights = await entries.get('com.example.hello/flights');
const count = typeof flights?.value === 'number' ? flights.value : 0;

const {revision} = await entries.transact({
  checks: [{key: 'com.example.hello/flights', expected: flights?.revision ?? 'absent'}],
  operations: [
    {kind: 'put', key: `com.example.hello/flights/${count + 1}`, value: {from: 'EDDF', to: 'LOWW'}},
    {kind: 'put', key: 'com.example.hello/flights', value: count + 1},
  ],
});
console.log('flight', count + 1, revision > (flights?.revision ?? 0));

// The background of a plugin: it runs in a process of its own for as long as a pilot is signed in.
const SERVICE = 'http://localhost:7172';
const KEY = encodeURIComponent('com.example.logbook/flights');

let pilot;

async function readFlights() {
  const response = await fetch(`${SERVICE}/api/store/${KEY}`);
  return response.ok ? response.json() : [];
}

async function addFlight({from, to}) {
  const {flightsMax} = await (await fetch(`${SERVICE}/api/settings/com.example.logbook`)).json();
  const flights = [...(await readFlights()), {pilot, from, to}].slice(-flightsMax);
  const body = JSON.stringify(flights);
  await fetch(`${SERVICE}/api/store/${KEY}`, {method: 'POST', body});
  return flights;
}

module.exports = {
  onStart(identity) {
    pilot = identity.va_user.pilotID;
    console.log(`keeping the logbook of ${pilot}`);
  },
  routes: {
    get: {
      flights: {
        description: 'The flights, oldest first',
        handler: async (_, res) => res.json(await readFlights()),
      },
    },
    post: {
      flights: {
        description: 'Adds a flight: {from, to}',
        handler: async (req, res) => res.status(201).json(await addFlight(req.body)),
      },
    },
  },
};

const FLIGHTS = 'http://localhost:7172/api/com.example.logbook/flights';
// The page around this one tells its theme, and paints the background.
document.body.classList.toggle('dark', new URLSearchParams(location.search).get('darkmode') === 'true');

const form = document.querySelector('form');

function show(flights) {
  const items = flights.map(({from, to}) =>
    Object.assign(document.createElement('li'), {textContent: `${from} to ${to}`}),
  );
  document.querySelector('ol').replaceChildren(...items);
}

form.addEventListener('submit', async event => {
  event.preventDefault();
  const body = JSON.stringify(Object.fromEntries(new FormData(form)));
  const headers = {'Content-Type': 'application/json'};
  show(await (await fetch(FLIGHTS, {method: 'POST', headers, body})).json());
  form.reset();
});

show(await (await fetch(FLIGHTS)).json());

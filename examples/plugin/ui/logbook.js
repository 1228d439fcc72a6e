// The UI SDK as the build of Crewroom puts it beside this page. A page that is built imports it as 'crewroom-ui-sdk'.
import {applyAppColor, applyVAColor, localApi} from './sdk/index.js';

const FLIGHTS = 'api/com.example.logbook/flights';

// The page around this one tells its theme, and the colours of the airline.
const query = new URLSearchParams(location.search);
applyAppColor(document, query.get('darkmode') === 'true');
applyVAColor(document, query.get('forecolor'), query.get('backcolor'));

document.documentElement.classList.toggle('framed', parent !== window);

const form = document.querySelector('form');
const table = document.querySelector('table');

function show(flights) {
  table.hidden = flights.length === 0;
  document.querySelector('#empty').hidden = flights.length > 0;
  // The newest first.
  const rows = flights.map(({pilot, from, to}, index) => [index + 1, from, to, pilot]).reverse();
  table.tBodies[0].replaceChildren(...rows.map(rowOf));
}

function rowOf(values) {
  const row = Object.assign(document.createElement('tr'), {className: 'data-table-row'});
  row.append(...values.map(value => Object.assign(document.createElement('td'), {textContent: value})));
  return row;
}

form.addEventListener('submit', async event => {
  event.preventDefault();
  const flight = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.toUpperCase()]));
  show(await localApi(FLIGHTS, 'POST', flight));
  form.reset();
});

const {va_user: user} = await localApi('api/identity');
document.querySelector('#pilot').textContent = `${user.firstName} ${user.lastName}, ${user.pilotID}`;
show(await localApi(FLIGHTS));

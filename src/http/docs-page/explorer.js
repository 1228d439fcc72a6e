// Shows the OpenAPI document of the service, in the colours of the system.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** Time for which the page must have had the focus before a click calls the service, in milliseconds: longer than a double click. */
const IN_FRONT_MS = 1000;

/** Time after which a stream of events is cut off, in milliseconds: it does not end by itself. */
const STREAM_MS = 5000;

// Another site may open this page under the pointer of a user who is about to click.
let inFrontSinceMs = document.hasFocus() ? performance.now() : Infinity;
window.addEventListener('focus', () => {
  inFrontSinceMs = performance.now();
});
window.addEventListener('blur', () => {
  inFrontSinceMs = Infinity;
});
const ignoreTooSoon = event => {
  if (!event.target.closest('.execute, .try-out__btn')) return;
  if (performance.now() - inFrontSinceMs >= IN_FRONT_MS) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};
document.addEventListener('click', ignoreTooSoon, true);

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // A link from elsewhere opens an operation; to run it takes two more clicks.
  tryItOutEnabled: false,
  // The whole line of an operation is a button already, and a link in a button is none.
  plugins: [
    () => ({
      wrapComponents: {
        DeepLink:
          (Original, {React}) =>
          props =>
            React.createElement(Original, {...props, enabled: false}),
      },
    }),
  ],
  requestInterceptor: request => Object.assign(request, {userFetch: fetchBeginning}),
  // The default asks a service on the network whether the document is valid.
  validatorUrl: null,
});

/** Fetches an answer; a stream of events is cut off after {@link STREAM_MS}. */
async function fetchBeginning(url, options) {
  const controller = new AbortController();
  // Without https browsers mark no requests to a name of `--allow-host`: there the service needs the header.
  const headers = {...options.headers, 'X-Crewroom-Client': '1'};
  const response = await fetch(url, {...options, headers, signal: controller.signal});
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return response;
  let text = '';
  setTimeout(() => controller.abort(), STREAM_MS);
  try {
    for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
      const {done, value} = await reader.read();
      if (done) break;
      text += value;
    }
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  }
  const {status, statusText, headers: received} = response;
  return new Response(`${text}\n: end of the first ${STREAM_MS / 1000} seconds`, {
    status,
    statusText,
    headers: received,
  });
}

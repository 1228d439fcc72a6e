import './play.css';
import {effect} from '@preact/signals';
import type {ComponentChildren} from 'preact';
import {useEffect} from 'preact/hooks';
import {formatRoute} from '../route.ts';
import {Command} from '../shell/command.tsx';
import {crewroomCommand} from '../shell/format/example-commands.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {PLAY_STEPS, type PlayState, type PlayStep} from './play-state.ts';

/** The plugin of `crewroom play`, and the entry that it keeps. */
const PLUGIN = 'com.example.logbook';
const ENTRY = `${PLUGIN}/flights`;

const STEPS: {readonly [S in PlayStep]: ComponentChildren} = {
  plugin: (
    <>
      Open <a href={formatRoute({view: 'plugin', id: PLUGIN, tab: 'page'})}>the logbook</a>
    </>
  ),
  'flight-added': 'Add a flight',
  entry: (
    <>
      See <a href={formatRoute({view: 'entries', key: ENTRY})}>what it stored</a>
    </>
  ),
  flight: (
    <>
      Follow <a href={formatRoute({view: 'flight'})}>the flight</a>
    </>
  ),
  fault: (
    <>
      Let <a href={formatRoute({view: 'faults'})}>something fail</a>
    </>
  ),
};

/** The five steps of `crewroom play`, ticked as they are done. Nothing if they are not shown. */
export function PlayStrip({state}: {readonly state: ConsoleState}) {
  const {play} = state;
  const done = play.done.value;
  const isShown = done !== undefined;
  useEffect(() => (isShown ? followSteps(state) : undefined), [isShown, state]);
  if (!isShown) return null;
  return (
    <section class="play" aria-label="First steps">
      <ol>
        {PLAY_STEPS.map((step, index) => (
          <li key={step} data-done={done.has(step)}>
            <span class="play-mark">
              <span aria-hidden="true">{done.has(step) ? '✓' : index + 1}</span>
              {done.has(step) && <span class="hidden">Done: </span>}
            </span>
            <span>{STEPS[step]}</span>
          </li>
        ))}
      </ol>
      {done.size === PLAY_STEPS.length && <Command text={crewroomCommand('plugin new my-plugin')} />}
      {state.identity.value.value === null && (
        <p>
          No pilot is signed in: <a href={formatRoute({view: 'home'})}>sign in</a> to go on.
        </p>
      )}
      <button type="button" onClick={() => play.close()}>
        Close
      </button>
    </section>
  );
}

/** Ticks the steps as they are done. @returns A function that ends it. */
function followSteps(state: ConsoleState): () => void {
  const {play} = state;
  const left = new AbortController();
  void followEntry(state, left.signal);
  const stop = effect(() => {
    const route = state.route.value;
    if (route.view === 'plugin' && route.id === PLUGIN) play.finish('plugin');
    if (route.view === 'entries' && route.key === ENTRY) play.finish('entry');
    if (route.view === 'flight') play.finish('flight');
    if ((state.faults.value.value?.faults.length ?? 0) > 0) play.finish('fault');
  });
  return () => {
    left.abort();
    stop();
  };
}

/** Waits for the entry that the plugin stores a flight in. */
async function followEntry(
  {client, play}: {readonly client: ConsoleState['client']; readonly play: PlayState},
  signal: AbortSignal,
) {
  if (play.done.peek()?.has('flight-added')) return;
  try {
    for await (const event of client.events({prefix: ENTRY, kinds: ['entry-written'], initial: true, signal})) {
      if (!('key' in event) || event.key !== ENTRY) continue;
      play.finish('flight-added');
      return;
    }
  } catch {
    // The strip was closed, or the service has ended.
  }
}

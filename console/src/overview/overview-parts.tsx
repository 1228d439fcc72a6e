import './overview.css';
import type {ComponentChildren} from 'preact';
import {useLayoutEffect, useMemo} from 'preact/hooks';
import type {ConsoleState} from '../state/console-state.ts';
import {NextSteps} from './next-steps.tsx';
import {OverviewState} from './overview-state.ts';
import {ServiceCard} from './service-card.tsx';
import {SessionCard} from './session-card.tsx';
import {TrafficPlots} from './traffic-plots.tsx';

interface OverviewPartsProps {
  readonly state: ConsoleState;
  /** The plugins, shown before the session. */
  readonly children: ComponentChildren;
}

/** The service at a glance: what to do next, requests, pilot and session, and health. */
export function OverviewParts({state, children}: OverviewPartsProps) {
  const overview = useMemo(() => new OverviewState(), []);
  // Before the first paint: what it reads is part of the overview.
  useLayoutEffect(() => {
    const left = new AbortController();
    overview.follow(state, left.signal);
    return () => left.abort();
  }, [state, overview]);
  return (
    <>
      {state.play.done.value === undefined && <NextSteps overview={overview} plugins={state.plugins.value.value} />}
      <section class="card" aria-labelledby="traffic-title">
        <div class="traffic-head">
          <h2 id="traffic-title">Requests now</h2>
          <p class="quiet">without long polls, streams of events, and the figures of this page</p>
        </div>
        <TrafficPlots state={state} traffic={overview.traffic} />
      </section>
      <div class="overview-cards">
        <div class="overview-column">
          {children}
          <SessionCard overview={overview} />
        </div>
        <ServiceCard state={state} overview={overview} />
      </div>
    </>
  );
}

import './overview.css';
import type {ComponentChildren} from 'preact';
import {useEffect, useMemo} from 'preact/hooks';
import type {ConsoleState} from '../state/console-state.ts';
import {NextSteps} from './next-steps.tsx';
import {OverviewState} from './overview-state.ts';
import {ServiceCard} from './service-card.tsx';
import {SessionCard} from './session-card.tsx';
import {TrafficPlots} from './traffic-plots.tsx';

interface OverviewPartsProps {
  readonly state: ConsoleState;
  /** Shown after what every user looks for first. */
  readonly children: ComponentChildren;
}

/** The service at a glance: pilot and session, health, requests, and what to try next. */
export function OverviewParts({state, children}: OverviewPartsProps) {
  const overview = useMemo(() => new OverviewState(), []);
  useEffect(() => {
    const left = new AbortController();
    overview.follow(state, left.signal);
    return () => left.abort();
  }, [state, overview]);
  return (
    <>
      <div class="overview-cards">
        <SessionCard overview={overview} />
        <ServiceCard state={state} overview={overview} />
      </div>
      {children}
      <section class="card" aria-labelledby="traffic-title">
        <h2 id="traffic-title">Requests now</h2>
        <TrafficPlots state={state} traffic={overview.traffic} />
        <p class="quiet">Without long polls and streams of events, and without the figures of this page.</p>
      </section>
      <NextSteps />
    </>
  );
}

import './overview.css';
import {useSignal} from '@preact/signals';
import type {ComponentChildren, FunctionComponent} from 'preact';
import {useEffect, useMemo} from 'preact/hooks';
import type {ConsoleState} from '../state/console-state.ts';
import {NextSteps} from './next-steps.tsx';
import {OverviewState} from './overview-state.ts';
import {ServiceCard} from './service-card.tsx';
import {SessionCard} from './session-card.tsx';
import type {TrafficPlotsProps} from './traffic-plots.tsx';

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
        <Plots state={state} traffic={overview.traffic} />
        <p class="quiet">Without long polls and streams of events, and without the figures of this page.</p>
      </section>
      <NextSteps />
    </>
  );
}

/** The plots, whose library is loaded after everything else. */
function Plots(props: TrafficPlotsProps) {
  const loaded = useSignal<FunctionComponent<TrafficPlotsProps> | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    import('./traffic-plots.tsx').then(
      ({TrafficPlots}) => {
        if (isShown) loaded.value = TrafficPlots;
      },
      // The service is away, which a banner reports.
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, [loaded]);
  const TrafficPlots = loaded.value;
  return TrafficPlots === undefined ? <div class="plots" /> : <TrafficPlots {...props} />;
}

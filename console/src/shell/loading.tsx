import {useSignal} from '@preact/signals';
import {useEffect, useRef} from 'preact/hooks';
import type {CallFailure} from '../service/call-service.ts';
import {announce, announced} from './announcer.ts';

/** Time until a user doubts whether anything happens, in milliseconds. */
const SLOW_MS = 2000;

interface LoadingProps {
  /** @default {'Loading…'} */
  readonly text?: string;
  /** Class of the paragraph. @default {none} */
  readonly name?: string;
  /** Why it cannot be known, which the view says: then this says nothing. */
  readonly unless?: CallFailure | undefined;
}

/** Says that something is not known yet, or being done. When it takes long with a sign of progress, which is read out. */
export function Loading({text = 'Loading…', name = '', unless}: LoadingProps) {
  const isSlow = useSignal(false);
  const element = useRef<HTMLParagraphElement>(null);
  const said = `Still ${text.toLowerCase()}`;
  useEffect(() => {
    const isSaid = (): boolean => announced.peek().text === said;
    const timer = setTimeout(() => {
      isSlow.value = true;
      // A status is read out by itself, and parts that load together say it once.
      if (element.current?.closest('[role="status"]') === null && !isSaid()) announce(said);
    }, SLOW_MS);
    return () => {
      clearTimeout(timer);
      if (isSaid()) announce('');
    };
  }, [isSlow, said]);
  if (unless !== undefined) return null;
  return (
    <p class={`quiet ${name}`} ref={element}>
      {isSlow.value ? said : text} {isSlow.value && <progress aria-label={text} />}
    </p>
  );
}

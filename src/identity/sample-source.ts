import type {Identity, IdentitySource} from '../domain/identity.ts';
import {summarise} from './identity-document.ts';
import {SAMPLE_DOCUMENT} from './sample-document.ts';

/** Serves the sample identity, so that plugins can be tried before anything is configured. */
export function openSampleSource(): IdentitySource {
  const identity: Identity = {
    json: new TextEncoder().encode(JSON.stringify(SAMPLE_DOCUMENT)),
    summary: summarise(SAMPLE_DOCUMENT),
  };
  return openFixedSource({kind: 'sample'}, identity);
}

/** Serves no identity. */
export function openEmptySource(): IdentitySource {
  return openFixedSource({kind: 'none'}, undefined);
}

function openFixedSource(origin: IdentitySource['origin'], identity: Identity | undefined): IdentitySource {
  return {origin, current: () => identity, onChange: () => () => {}, [Symbol.asyncDispose]: async () => {}};
}

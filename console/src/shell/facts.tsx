import type {ComponentChildren} from 'preact';
import {Breakable} from './breakable.tsx';

/** Names and values; those without a value are left out. */
export function Facts({facts}: {readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]}) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{typeof value === 'string' ? <Breakable text={value} /> : value}</bdi>
            </dd>
          </div>
        ))}
    </dl>
  );
}

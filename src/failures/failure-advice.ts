import type {Failure, FailureCode} from './failure.ts';
import {CLEAR_ADVICE, faultOf} from './fault-mark.ts';
import {findRow, ROWS} from './rows/rows.ts';

/** Returns one line of advice for a failure: how to end the fault that caused it, its own hint, the advice that was received with it, or the advice for its code. */
export function adviseOn(failure: Failure): string {
  if (faultOf(failure) !== undefined) return CLEAR_ADVICE;
  if ('hint' in failure && failure.hint !== undefined) return failure.hint;
  if (failure.code === 'no-resource' && failure.meant !== undefined)
    return `Use ${failure.meant}: a slash inside a key is written %2F`;
  if (failure.code === 'foreign-origin' && isAllowable(failure.origin))
    return `If the page is yours, start the service with --allow-origin ${failure.origin}`;
  if (failure.code === 'token-required' && failure.plugin !== undefined)
    return `Open the page of "${failure.plugin}" in the console that "crewroom console" opens: there it proves itself`;
  if (failure.code === 'permission-required' && isPlain(failure.permission)) {
    const [, plugin] = /^plugin:(.+)$/.exec(failure.principal) ?? [];
    if (plugin !== undefined)
      return `The owner of the service gives it to the plugin: "crewroom access grant ${plugin} ${failure.permission}"`;
  }
  if (failure.code === 'unknown-failure' && failure.advice !== undefined) return failure.advice;
  return adviseOnFailure(failure.code);
}

/** Returns whether every shell reads a text as it is. */
function isPlain(text: string): boolean {
  return /^[A-Za-z0-9._:/-]+$/.test(text);
}

/** Returns whether `--allow-origin` accepts an origin; it does not accept `null`, addresses, and origins that were shortened. */
export function isAllowable(origin: string): boolean {
  return origin.length < SHORTENED_LENGTH && URL.canParse(origin) && new URL(origin).origin === origin;
}

/** Length to which the guard shortens origins, in UTF-16 units. */
const SHORTENED_LENGTH = 100;

/** Returns one line of advice for failures of this code. */
export function adviseOnFailure(code: FailureCode): string {
  return (findRow(code) ?? ROWS['unknown-failure']).advice;
}

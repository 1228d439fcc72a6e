import type {Action, Caller, Principal} from '../domain/access/access.ts';
import {AppError} from '../failures/app-error.ts';
import {grantable} from './permission.ts';
import {type CallerFacts, judgeAccess} from './verdict.ts';

/** The facts about a caller, and when they end. */
export interface CallerParts extends CallerFacts {
  /** @default {a caller that keeps its permissions} */
  readonly onEnd?: Caller['onEnd'];
}

/** Returns the plugin whose page has to prove itself; nothing for other callers. */
function pageOf(principal: Principal | undefined): {readonly plugin?: string} {
  return principal === undefined ? {} : {plugin: principal.slice('plugin:'.length)};
}

/** A caller whose permissions depend on who it is. */
export class PrincipalCaller implements Caller {
  readonly principal: Principal | undefined;
  readonly isLasting: boolean;
  readonly onEnd: Caller['onEnd'];
  readonly #parts: CallerParts;

  constructor(parts: CallerParts) {
    this.#parts = parts;
    this.principal = parts.principal;
    this.isLasting = parts.onEnd === undefined;
    this.onEnd = parts.onEnd ?? (() => () => {});
  }

  may(action: Action): boolean {
    return judgeAccess(this.#parts, action) === 'permitted';
  }

  assertMay(action: Action): void {
    switch (judgeAccess(this.#parts, action)) {
      case 'permitted':
        return;
      case 'credentials-needed':
        throw new AppError({code: 'token-required', permission: grantable(action), ...pageOf(this.principal)});
      case 'permission-needed':
        throw new AppError({
          code: 'permission-required',
          permission: grantable(action),
          principal: this.principal ?? 'unknown',
        });
    }
  }
}

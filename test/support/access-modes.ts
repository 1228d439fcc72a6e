import {beforeAll, describe} from 'vitest';
import {ACCESS_MODES, type AccessMode} from '../../src/core/domain/access/access.ts';
import type {Config} from '../../src/platform/config/config.ts';
import {bearer} from './access-tokens.ts';
import {readOwnerToken} from './owner-file.ts';
import {type TestService, useService} from './service.ts';

/** A service of a mode. */
export interface ServiceOfMode {
  readonly access: AccessMode;
  readonly service: () => TestService;
  /** Headers with which a program may do everything in this mode: none in the mode `open`, and otherwise the token of the owner. */
  readonly credentials: () => readonly string[];
}

/** Describes the same in each mode of access. */
export function describeInEachMode(options: Partial<Config>, describeOne: (service: ServiceOfMode) => void): void {
  for (const access of ACCESS_MODES)
    describe(`in the mode ${access},`, () => {
      const service = useService({...options, access});
      let headers: readonly string[] = [];
      beforeAll(async () => {
        if (access !== 'open') headers = [bearer(await readOwnerToken(service()))];
      });
      describeOne({access, service, credentials: () => headers});
    });
}

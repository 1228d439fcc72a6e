import {ACCESS_OPERATIONS} from './access-operations.ts';
import {IDENTITY_OPERATIONS} from './identity-operations.ts';
import type {Operations} from './operation.ts';
import {PLUGIN_OPERATIONS} from './plugin-operations.ts';
import {SERVICE_OPERATIONS} from './service-operations.ts';
import {STORE_OPERATIONS} from './store-operations.ts';

/** Every operation. The build writes the OpenAPI document from them; the service does not load them. */
export const OPERATIONS: Operations = {
  ...IDENTITY_OPERATIONS,
  ...STORE_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...PLUGIN_OPERATIONS,
  ...ACCESS_OPERATIONS,
};

import type {AllowedOriginList} from '../../domain/access/allowed-origins.ts';
import {readAllowedOrigins} from '../../protocol/allowed-origins.ts';
import {parseAnswer} from '../answer.ts';
import type {CallOptions, Transport} from '../transport.ts';

/** Origins whose pages may call a running service. Each method throws what the service threw. */
export interface ClientOrigins {
  /** Returns the allowed origins, and those that were refused. */
  list(options?: CallOptions): Promise<AllowedOriginList>;
  /** Allows the pages of one exact origin to call until the service ends. Only programs may do this. */
  allow(origin: string, options?: CallOptions): Promise<AllowedOriginList>;
}

const PATH = '/api/allowed-origins';

/** Returns the allowed origins of a running service. */
export function createOrigins(transport: Transport): ClientOrigins {
  return {
    list: async call => parseAnswer(await transport.send('GET', PATH, call), readAllowedOrigins),
    allow: async (origin, call) => {
      const body = JSON.stringify({origin});
      return parseAnswer(await transport.send('POST', PATH, {...call, body}), readAllowedOrigins);
    },
  };
}

import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './read-parameters.ts';

/** Metrics of the service. */
export interface MetricsSource {
  /** Returns the present values in Prometheus text format. */
  format(): Promise<string>;
}

/** Content type of the text-based format (Prometheus, exposition formats). */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `/metrics`: figures of the service, for monitoring. */
export function metricsRoutes(metrics: MetricsSource): readonly Route[] {
  return [
    {
      path: '/metrics',
      needs: 'admin',
      GET: async ({query}) => {
        assertNoQuery(query);
        return answer(await metrics.format(), {contentType: CONTENT_TYPE});
      },
    },
  ];
}

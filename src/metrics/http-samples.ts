import type {ConnectionStatistics} from '../domain/statistics.ts';
import type {RequestCounts} from './request-counts.ts';
import {type Sample, type SamplesOf, single} from './text-form.ts';

/** Returns the figures of requests and connections. */
export function httpSamples(
  {routes, failures}: RequestCounts,
  connections: ConnectionStatistics | undefined,
): SamplesOf<'crewroom_http'> {
  const requests: Sample[] = [];
  const durations: Sample[] = [];
  for (const [route, methods] of routes) {
    for (const [method, counts] of methods) {
      for (const [statusClass, value] of counts.answers.entries())
        if (value > 0) requests.push({labels: {method, route, status: `${statusClass}xx`}, value});
      durations.push({labels: {method, route}, value: counts.durations.durations()});
    }
  }
  return {
    crewroom_http_requests_total: requests,
    crewroom_http_request_duration_seconds: durations,
    crewroom_http_failures_total: Array.from(failures, ([code, value]) => ({labels: {code}, value})),
    crewroom_http_connections: single(connections?.open),
    crewroom_http_held_bytes: single(connections?.heldBytes),
  };
}

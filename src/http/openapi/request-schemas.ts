import {z} from 'zod';

/** A request that was answered. */
const RECORDED_REQUEST = z.strictObject({
  sequence: z.int().min(1).meta({description: 'Number of the request since the service started.'}),
  at: z.iso.datetime().meta({description: 'Time at which it arrived, UTC.'}),
  method: z.string(),
  path: z
    .string()
    .meta({description: 'Path as it was sent, with the names of the parameters, and … for their values.'}),
  status: z.int().min(100).max(599),
  durationMs: z
    .number()
    .min(0)
    .meta({description: 'Time until the answer, for a stream or a WebSocket until it began.'}),
  sizeBytes: z.int().min(0).optional().meta({description: 'Size of the body of the answer; absent for a stream.'}),
  origin: z.string().optional().meta({description: 'Origin of the web page that sent it; absent for local programs.'}),
  plugin: z.string().optional().meta({description: 'Id of the plugin whose background or page sent it.'}),
  headers: z.record(z.string(), z.string()).meta({description: 'Some of its headers, with names in lower case.'}),
  failure: z
    .strictObject({
      code: z.string(),
      detail: z.string().meta({description: 'The message of the failure.'}),
      remedy: z.string().meta({description: 'One line of advice.'}),
      requestId: z.string().meta({description: 'The `instance` of the answer; the log has it too.'}),
    })
    .optional()
    .meta({description: 'Absent if it did not fail.'}),
});

/** Answer of GET /api/requests. */
export const REQUEST_LIST = z.strictObject({
  requests: z.array(RECORDED_REQUEST),
  cursor: z
    .string()
    .regex(/^[0-9a-f]{8}-[0-9]+$/)
    .meta({description: 'The `since` of the next request.'}),
  missed: z.int().min(0).meta({description: 'Number of requests after `since` that are no longer kept.'}),
});

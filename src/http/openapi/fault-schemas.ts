import {z} from 'zod';
import {
  FAULT_DELAY_MS_MAX,
  FAULT_OFFSET_SECONDS_MAX,
  FAULT_PATH_LENGTH_MAX,
  FAULT_SEED_MAX,
  FAULTS_MAX,
} from '../../domain/fault.ts';
import {listFaultCodes} from '../../failures/facts.ts';

const SELECTION = {
  path: z.string().max(FAULT_PATH_LENGTH_MAX).regex(/^[/*]/).optional().meta({
    description: 'Path without query; `*` stands for any characters. Without it all below `/api/` and `/plugins/`.',
  }),
  plugin: z.string().optional().meta({description: 'Id of the plugin whose background or page sends the request.'}),
  probability: z.number().gt(0).max(1).optional().meta({description: 'Share of these requests; 1 without it.'}),
  seed: z.int().min(0).max(FAULT_SEED_MAX).optional().meta({
    description: 'The same seed draws the same requests again; a random one is chosen if there is a probability.',
  }),
};

const FAULT = z.union([
  z.strictObject({
    kind: z.literal('delay'),
    delayMs: z.int().min(1).max(FAULT_DELAY_MS_MAX).meta({description: 'Wait before a request is handled.'}),
    ...SELECTION,
  }),
  z.strictObject({
    kind: z.literal('error'),
    code: z.enum(listFaultCodes()).meta({description: 'Code of the failure, which has its usual status.'}),
    ...SELECTION,
  }),
  z.strictObject({kind: z.literal('cut'), ...SELECTION}),
  z.strictObject({kind: z.enum(['disk-full', 'store-read-only', 'session-expired', 'airline-away'])}),
  z.strictObject({
    kind: z.literal('clock'),
    offsetSeconds: z.int().min(1).max(FAULT_OFFSET_SECONDS_MAX).meta({
      description: 'The clock of the store is ahead. Only for a service in memory (`--ephemeral`).',
    }),
  }),
]);

/** Body and answer of /api/faults, for the documentation: `readFaults` parses it. */
export const FAULTS = z.strictObject({faults: z.array(FAULT).max(FAULTS_MAX)});

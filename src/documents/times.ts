import * as v from 'valibot';

const DATE =
  /(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|(?:02)-(?:0[1-9]|1\d|2[0-8]))/
    .source;
const CLOCK = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?/.source;
const OFFSET = /([+-](?:[01]\d|2[0-3]):[0-5]\d)/.source;

/** A time (RFC 3339), UTC. */
export const TIME = v.pipe(
  v.string(),
  v.regex(new RegExp(`^(?:${DATE})T(?:${CLOCK}(?:Z))$`)),
  v.metadata({format: 'date-time'}),
);

/** Regular expression of times (RFC 3339) of any zone. */
export const ZONED_TIME_PATTERN = `^(?:${DATE})T(?:${CLOCK}(?:Z|${OFFSET}))$`;

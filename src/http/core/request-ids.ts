/** Creates the ids of requests: a counter behind a few random bytes, so that the ids of two processes differ. */
export function createRequestIds(randomBytes: (sizeBytes: number) => Uint8Array): () => string {
  const prefix = Buffer.from(randomBytes(PREFIX_BYTES)).toString('hex');
  let count = 0;
  return () => `${prefix}-${++count}`;
}

const PREFIX_BYTES = 4;

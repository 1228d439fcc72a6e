/** The service broke a promise. */
export class LossError extends Error {
  override readonly name = 'LossError';
}

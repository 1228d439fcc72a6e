import {codeOf, messageOf} from '../../failures/error-text.ts';

/** Describes why a dev server did not answer, as the problem of a `dev-server-failed`. */
export function describeTrouble(error: Error): string {
  const code = String(codeOf(error));
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND') return 'its name is unknown';
  if (code === 'ECONNRESET') return 'it closed the connection without an answer';
  if (code.startsWith('HPE_')) return 'its answer is not HTTP';
  return messageOf(error) || code;
}

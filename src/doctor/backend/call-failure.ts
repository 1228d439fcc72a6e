import {AppError} from '../../failures/app-error.ts';
import type {Failure} from '../../failures/failure.ts';
import {adviseOn} from '../../failures/failure-advice.ts';
import type {Finding} from '../finding.ts';

/** Turns the failure of a call into a finding. @throws Any error that is not a failure. */
export function findingOfCallFailure(check: string, error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  const {failure} = error;
  const hint = 'hint' in failure ? failure.hint : undefined;
  return {check, level: 'problem', detail: detailOf(error), fix: hint ?? fixOf(failure)};
}

function detailOf({failure, message}: AppError): string {
  switch (failure.code) {
    case 'back-end-unreachable':
      return failure.problem;
    case 'back-end-timeout':
      return `no complete answer within ${failure.timeoutMs / 1000} seconds`;
    case 'not-a-back-end':
      return `${failure.problem} (${failure.backEndStatus})`;
    case 'back-end-failed':
    case 'back-end-busy':
      return `${describeFailed(failure)}${failure.message === undefined ? '' : `: ${JSON.stringify(failure.message)}`}`;
    case 'back-end-redirect':
      return `${failure.problem}, ${failure.target}`;
    default:
      return message;
  }
}

function describeFailed({
  problem,
  backEndStatus,
}: Extract<Failure, {code: 'back-end-failed' | 'back-end-busy'}>): string {
  return problem === undefined ? `it fails with ${backEndStatus}` : `${problem} (${backEndStatus})`;
}

/** Fix for a certificate that clients refuse, seen without a look at the certificate itself: behind a redirect. */
const TLS_FIX =
  'Look at the certificate of that host: run the command again with its address, or open the address in a browser; it may be out of date, for another name, or without its intermediate certificates';

function fixOf(failure: Failure): string {
  switch (failure.code) {
    case 'back-end-unreachable':
      if (failure.stage === 'tls') return TLS_FIX;
      return failure.stage === 'answer'
        ? 'Look into the logs of PHP and the web server: a process that crashes cuts off its answer'
        : 'Check the address and the port, that the web server runs, and that no firewall keeps visitors out';
    case 'back-end-timeout':
      return 'Look for the slow part (mostly the database) in the slow log of PHP; pilots do not wait longer';
    case 'not-a-back-end':
      return 'Answer with the expected JSON and nothing else: no page, and less than 1 MiB';
    case 'back-end-failed':
      return 'Look into the error log of PHP, or of the framework (storage/logs)';
    case 'back-end-redirect':
      return 'Let the web server answer the paths of the back end itself (rules that add a slash, www or https must not touch them): a redirected POST loses its body, and neither password nor session is forwarded';
    default:
      return adviseOn(failure);
  }
}

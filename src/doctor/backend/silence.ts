import {AppError, describeFailure, type Failure} from '../../domain/failure.ts';
import {adviseOn} from '../../domain/failure-advice.ts';
import type {Finding} from '../finding.ts';

/** The finding for an answer that did not come, or is none of a handler. What is no failure is thrown on. */
export function findingOfSilence(check: string, error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  const {failure} = error;
  const hint = 'hint' in failure ? failure.hint : undefined;
  return {check, level: 'problem', detail: detailOf(failure), fix: hint ?? fixOf(failure)};
}

function detailOf(failure: Failure): string {
  switch (failure.code) {
    case 'handler-unreachable':
      return failure.problem;
    case 'handler-timeout':
      return `no whole answer came within ${failure.timeoutMs / 1000} seconds`;
    case 'not-a-handler':
      return `${failure.problem} (${failure.handlerStatus})`;
    case 'handler-failed':
    case 'handler-busy':
      return `${describeFailed(failure)}${failure.message === undefined ? '' : `: ${JSON.stringify(failure.message)}`}`;
    case 'handler-redirect':
      return `${failure.problem}, ${failure.target}`;
    default:
      return describeFailure(failure);
  }
}

function describeFailed({problem, handlerStatus}: Extract<Failure, {code: 'handler-failed' | 'handler-busy'}>): string {
  return problem === undefined ? `it fails with ${handlerStatus}` : `${problem} (${handlerStatus})`;
}

function fixOf(failure: Failure): string {
  switch (failure.code) {
    case 'handler-unreachable':
      return failure.stage === 'answer'
        ? 'Look into the logs of PHP and the web server: a process that dies cuts its answer off'
        : 'Check the address and the port, that the web server runs, and that no firewall keeps visitors out';
    case 'handler-timeout':
      return 'Look for what is slow (the database, most of the time) in the slow log of PHP; pilots wait no longer than this';
    case 'not-a-handler':
      return 'Answer with the JSON that is due and nothing else: no page, and less than 1 MiB';
    case 'handler-failed':
      return 'Look into the error log of PHP, or of the framework (storage/logs)';
    case 'handler-redirect':
      return 'Let the web server answer the paths of the handler itself (rules that add a slash, www or https must not touch them): a redirected POST loses its body, and neither password nor session is sent on';
    default:
      return adviseOn(failure);
  }
}

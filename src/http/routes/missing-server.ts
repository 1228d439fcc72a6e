import {createHash} from 'node:crypto';
import type {AppError} from '../../failures/app-error.ts';
import {statusOf} from '../../failures/facts.ts';
import {adviseOn} from '../../failures/failure-advice.ts';
import {answer, type HttpAnswer} from '../core/message.ts';
import {escapeHtml} from './opening-card.ts';

/** Pause until the page is loaded again, in seconds. */
const RETRY_SECONDS = 2;

const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 15vh auto 0; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; }`;

/**
 * Creates the page that stands in for that of a dev server that does not answer, and that is loaded again until it does. With the status of the failure.
 *
 * @param rawHeaders Further headers, such as a policy that says what may frame it.
 */
export function answerMissingServer(error: AppError, rawHeaders: readonly string[]): HttpAnswer {
  const texts: Readonly<Record<string, string>> = {message: error.message, advice: adviseOn(error.failure)};
  const content = PAGE.replace(/\{(message|advice)\}/g, (_, name) => escapeHtml(texts[name] ?? ''));
  return answer(content, {
    status: statusOf(error.failure),
    contentType: 'text/html; charset=utf-8',
    rawHeaders: ['Content-Security-Policy', POLICY, 'Refresh', String(RETRY_SECONDS), ...rawHeaders],
  });
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No dev server – Crewroom</title>
<style>${STYLE}</style>
<main>
<h1>The dev server of this page does not answer</h1>
<p>{message}</p>
<p>{advice}. The page comes by itself once it is there.</p>
</main>
</html>
`;

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'`;

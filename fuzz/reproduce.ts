import type {FuzzCase, Step} from './arbitrary/fuzz-case.ts';
import {type BodyPlan, createMemory, fill, formatPlan, isWellFormed, type RequestPlan} from './request-plan.ts';

/** Address of a service on its usual port, for printed requests. */
const HOST = 'localhost:7172';

/** Longest part of a request that is printed, in characters; longer parts are replaced by their length. */
const PRINTED_MAX = 2000;

/** Longest body that is an argument of a command, in characters: Linux allows 128 KiB. */
const ARGUMENT_MAX = 100_000;

/** Longest text that is searched for repetitions, in characters: the expression needs stack for each of them. */
const SEARCHED_MAX = 100_000;

/**
 * Prints how to send the requests of a case by hand: with curl if it can send them unchanged, otherwise byte by byte.
 */
export function formatReproduction(steps: FuzzCase): string {
  return steps.map(formatStep).join('\n');
}

function formatStep(step: Step): string {
  switch (step.kind) {
    case 'bytes':
      return formatBytes(step.bytes.replaceAll('{{host}}', HOST));
    case 'pipeline':
      return `# on one connection\n${formatBytes(step.plans.map(toText).join(''))}`;
    case 'parallel': {
      const lines = step.plans.map(formatRequest);
      return step.plans.length === 1 ? lines.join('') : `# at once\n${lines.join('\n')}`;
    }
  }
}

function formatRequest(plan: RequestPlan): string {
  return canCurl(plan) ? formatCurl(plan) : formatBytes(toText(plan));
}

function canCurl(plan: RequestPlan): boolean {
  const {before = '', after = '', repeated = '', times = 0} = plan.body ?? {};
  return (
    isWellFormed(plan) &&
    before.length <= ARGUMENT_MAX &&
    plan.framing === 'length' &&
    plan.ending === 'wait' &&
    plan.frames === undefined &&
    // A repeated body is written by a script, which escapes control characters.
    (times === 0 ? /^[\x20-\x7e]*$/ : /^[\x00-\x7f]*$/).test(before + after + repeated) &&
    plan.headers.every(([name, value]) => (name === 'Host' ? value === '{{host}}' : /^[\x20-\x7e]+$/.test(value))) &&
    plan.headers.filter(([name]) => name === 'Host').length === 1
  );
}

function formatCurl({method, target, headers, body}: RequestPlan): string {
  const memory = createMemory(HOST);
  const method_ = method === 'HEAD' ? '--head' : `-X ${method}`;
  const parts = [`curl -i --path-as-is ${method_} ${quote(`http://${HOST}${fill(target, memory)}`)}`];
  for (const [name, value] of headers)
    if (name !== 'Host') parts.push(`-H ${quote(`${name}: ${fill(value, memory)}`)}`);
  if (body !== undefined && body.times === 0) parts.push(`--data-binary ${quote(body.before + body.after)}`);
  if (body === undefined || body.times === 0) return parts.join(' ');
  return `${formatRepeated(body)} | ${parts.join(' ')} --data-binary @-`;
}

function formatRepeated({before, repeated, times, after}: BodyPlan): string {
  const script = `process.stdout.write(${JSON.stringify(before)} + ${JSON.stringify(repeated)}.repeat(${times}) + ${JSON.stringify(after)})`;
  return `node -e ${quote(script)}`;
}

function formatBytes(text: string): string {
  const isWhole = text.length <= PRINTED_MAX || (text.length <= SEARCHED_MAX && REPEATED.test(text));
  const shown = isWhole ? text : `${text.slice(0, PRINTED_MAX)}…`;
  // Repetitions are written once, with their count.
  const parts = shown.split(REPEATED_PARTS).map((part, index, all) => {
    if (index % 3 === 0) return quote(escapeBytes(part));
    if (index % 3 === 1) return '';
    const unit = all[index] as string;
    const times = (all[index - 1] as string).length / unit.length;
    return `"$(printf ${quote(`${escapeBytes(unit)}%.0s`)} $(seq ${times}))"`;
  });
  return `printf '%b' ${parts.join('')} | nc -q 5 localhost 7172`;
}

const REPEATED = /([\s\S]{1,8}?)\1{99,}/;
const REPEATED_PARTS = /(([\s\S]{1,8}?)\2{99,})/;

function escapeBytes(text: string): string {
  return [...text].map(escapeByte).join('');
}

function escapeByte(character: string): string {
  if (character === '\r') return '\\r';
  if (character === '\n') return '\\n';
  if (character === '\\') return '\\\\';
  const code = character.charCodeAt(0);
  return code >= 0x20 && code < 0x7f ? character : `\\0${code.toString(8).padStart(3, '0')}`;
}

function toText(plan: RequestPlan): string {
  const sent = formatPlan(plan, createMemory(HOST)).toString('latin1');
  return sent + (plan.frames ?? '');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

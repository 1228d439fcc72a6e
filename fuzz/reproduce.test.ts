import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {HOSTILE_SHAPES} from './arbitrary/hostile-shapes.ts';
import {formatReproduction} from './reproduce.ts';
import type {BodyPlan, RequestPlan} from './request-plan.ts';

function planOf(body: BodyPlan, framing: RequestPlan['framing'] = 'length'): RequestPlan {
  return {method: 'POST', target: '/x', headers: [['Host', '{{host}}']], body, framing, ending: 'wait'};
}

function reproduce(plan: RequestPlan): string {
  return formatReproduction([{kind: 'parallel', plans: [plan]}]);
}

describe('a request is printed so that it can be sent by hand', () => {
  test('with curl', () => {
    expect(reproduce(planOf({before: '{}', repeated: '', times: 0, after: ''}))).toBe(
      "curl -i --path-as-is -X POST 'http://localhost:7172/x' --data-binary '{}'",
    );
  });

  test('with a script that repeats the parts of a large body, line feeds included', () => {
    expect(reproduce(planOf({before: '', repeated: '\n', times: 8_000_000, after: '0'}))).toBe(
      `node -e 'process.stdout.write("" + "\\n".repeat(8000000) + "0")' | curl -i --path-as-is -X POST 'http://localhost:7172/x' --data-binary @-`,
    );
  });

  test('byte by byte, shortened if it is large', () => {
    const printed = reproduce(planOf({before: '', repeated: '\n', times: 8_000_000, after: '0'}, 'chunked'));
    expect(printed).toMatch(/^printf '%b' 'POST \/x HTTP\/1\.1\\r\\n/);
    expect(printed.length).toBeLessThan(20_000);
  });

  test('shortened if a command cannot have it as an argument', () => {
    const printed = reproduce(planOf({before: `{"a":"${'x'.repeat(200_000)}"}`, repeated: '', times: 0, after: ''}));
    expect(printed).toMatch(/^printf /);
    expect(printed.length).toBeLessThan(20_000);
  });

  test('for every hostile shape', () => {
    for (const steps of fc.sample(HOSTILE_SHAPES, 50)) expect(formatReproduction(steps)).toContain('localhost');
  });
});

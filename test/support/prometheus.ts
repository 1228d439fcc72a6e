import assert from 'node:assert/strict';

/** A family of the text form of Prometheus. */
export interface ParsedFamily {
  readonly type: string;
  readonly help: string;
  /** Values by series, such as `name_total{method="GET"}`, as they were written. */
  readonly series: ReadonlyMap<string, number>;
  /** Names of the labels of all series, without `le`. */
  readonly labels: ReadonlySet<string>;
}

interface OpenFamily extends ParsedFamily {
  readonly name: string;
  readonly series: Map<string, number>;
  readonly labels: Set<string>;
}

const HELP_LINE = /^# HELP ([a-z_][a-z0-9_]*) ([^\n\\]+)$/;
const TYPE_LINE = /^# TYPE ([a-z_][a-z0-9_]*) (counter|gauge|histogram)$/;
const SAMPLE_LINE = /^([a-z_][a-z0-9_]*)(?:\{([^\n]*)\})? (\+Inf|-?[0-9.]+(?:e[+-]?[0-9]+)?)$/;
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=[a-z_])|$)/y;

/**
 * Parses the text form of Prometheus 0.0.4, more strictly than Prometheus: each family has one HELP and one TYPE line, in this order,
 * and then all its series, each once; counters end with `_total`; buckets of a histogram are cumulative and complete.
 *
 * @throws {AssertionError}
 */
export function parsePrometheus(text: string): ReadonlyMap<string, ParsedFamily> {
  assert.ok(text.endsWith('\n'), 'the last line ends');
  const lines = text.slice(0, -1).split('\n');
  const families = new Map<string, OpenFamily>();
  let family: OpenFamily | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const help = HELP_LINE.exec(line);
    if (help !== null) {
      family = readFamily(help, lines[++index] ?? '', families);
      families.set(family.name, family);
    } else readSample(line, family);
  }
  for (const each of families.values()) checkFamily(each);
  return families;
}

function readFamily(
  [, name = '', help = '']: readonly string[],
  line: string,
  families: ReadonlyMap<string, unknown>,
): OpenFamily {
  const [, typed, type = ''] = TYPE_LINE.exec(line) ?? [];
  assert.equal(typed, name, `the type of ${name} follows its help`);
  assert.ok(!families.has(name), `${name} occurs once`);
  return {name, type, help, series: new Map(), labels: new Set()};
}

function readSample(line: string, family: OpenFamily | undefined): void {
  assert.ok(family, `"${line}" belongs to a family`);
  const {name, type, series, labels} = family;
  const [, own = '', text = '', value = ''] = SAMPLE_LINE.exec(line) ?? [];
  const names = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
  assert.ok(names.includes(own), `"${line}" is a sample of ${name}`);
  for (const label of readLabels(text)) if (label !== 'le') labels.add(label);
  const key = text === '' ? own : `${own}{${text}}`;
  assert.ok(!series.has(key), `${key} occurs once`);
  series.set(key, value === '+Inf' ? Infinity : Number(value));
}

function readLabels(text: string): readonly string[] {
  const names: string[] = [];
  LABEL.lastIndex = 0;
  while (names.length === 0 || LABEL.lastIndex < text.length) {
    if (text === '') return names;
    const match = LABEL.exec(text);
    assert.ok(match, `{${text}} are labels`);
    names.push(match[1] ?? '');
  }
  assert.equal(new Set(names).size, names.length, `{${text}} has each label once`);
  return names;
}

function checkFamily({name, type, series}: OpenFamily): void {
  assert.ok(series.size > 0, `${name} has samples`);
  assert.equal(type === 'counter', name.endsWith('_total'), `${name} is named as a ${type}`);
  for (const value of series.values()) assert.ok(type === 'gauge' || value >= 0, `${name} is not negative`);
  const counted = type === 'histogram' ? [...series].filter(([key]) => key.startsWith(`${name}_count`)) : [];
  for (const [key, count] of counted) {
    const labels = /\{(.*)\}$/.exec(key)?.[1];
    const prefix = labels === undefined ? `${name}_bucket{le=` : `${name}_bucket{${labels},le=`;
    const buckets = [...series].filter(([other]) => other.startsWith(prefix));
    const counts = buckets.map(([, value]) => value);
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => one - other),
      `buckets of ${key} are cumulative`,
    );
    assert.equal(buckets.at(-1)?.[0], `${prefix}"+Inf"}`, `${key} has a bucket for all`);
    assert.equal(buckets.at(-1)?.[1], count, `the last bucket of ${key} is its count`);
    assert.ok(series.has(key.replace('_count', '_sum')), `${key} has a sum`);
  }
}

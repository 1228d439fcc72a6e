/** One value of a metric. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the text form of `GET /metrics` (Prometheus, version 0.0.4). Lines that are not samples are skipped. */
export function readMetrics(text: string): readonly MetricSample[] {
  return text.split('\n').flatMap(line => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    return [{name, labels: readLabels(labels), value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value)}];
  });
}

/** Returns the value of a metric without labels; undefined if it is absent. */
export function metricValue(samples: readonly MetricSample[], name: string): number | undefined {
  return samples.find(sample => sample.name === name)?.value;
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const labels = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [
    name,
    value.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character)),
  ]);
  return Object.fromEntries(labels);
}

/** What is asked for again and again. */
export interface Workload {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** The path of the n-th request. */
  readonly path: (n: number) => string;
  /** The body of the n-th request; each is new, since an engine may skip what does not change. */
  readonly body?: (n: number) => string;
}

/** How many entries there are. */
export const ENTRIES = 1000;

/** About how many bytes a value has. */
const VALUE_BYTES = 200;

/** The key of the n-th entry. */
export function keyOf(n: number): string {
  return `bench/${String(n % ENTRIES).padStart(4, '0')}`;
}

/** The n-th value: JSON of {@link VALUE_BYTES} bytes, none like another. */
export function valueText(n: number): string {
  const head = `{"n":${n},"text":"`;
  return `${head}${'x'.repeat(VALUE_BYTES - head.length - 2)}"}`;
}

const entryPath = (n: number): string => `/api/store/${encodeURIComponent(keyOf(n))}`;

/** The workloads, in the order of the report. */
export const WORKLOADS: readonly Workload[] = [
  {name: 'identity', method: 'GET', path: () => '/api/identity'},
  {name: 'get', method: 'GET', path: entryPath},
  {name: 'durable put', method: 'POST', path: entryPath, body: valueText},
];

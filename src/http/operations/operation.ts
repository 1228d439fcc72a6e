import type {GenericSchema} from 'valibot';
import {PRINCIPAL_PATTERN} from '../../documents/answers/answer-kinds.ts';
import type {FailureCode} from '../../failures/failure.ts';
import type {Method} from '../core/route.ts';

type Tag = 'Identity' | 'Store' | 'Events' | 'Plugins' | 'Service';

/** An operation in the OpenAPI document. */
export interface OperationDescription {
  readonly operationId: string;
  /** Absent for that of the file: see {@link tagged}. */
  readonly tag?: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The schema that reads the query string. */
  readonly query?: GenericSchema;
  /** Request headers that the operation reads. */
  readonly headers?: readonly (keyof typeof REQUEST_HEADERS)[];
  /** Kind of the body; absent if there is none. */
  readonly body?:
    | 'value'
    | 'merge-patch'
    | 'transaction'
    | 'export'
    | 'sign-in'
    | 'flight'
    | 'pilot'
    | 'faults'
    | 'owner-code'
    | 'token'
    | 'grant'
    | 'origin';
  /** Answers by status. A string in place of a schema names a component; without a schema there is no body. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** Failures besides {@link COMMON_FAILURES}. */
  readonly failures?: readonly FailureCode[];
  /** Description of answers with any status and any content besides these; absent if there are none. */
  readonly anyAnswer?: string;
}

/** An answer in the OpenAPI document. */
export interface AnswerDescription {
  readonly description: string;
  readonly schema?: GenericSchema | 'Identity' | 'Value' | 'Page';
  readonly contentType?: string;
  /** Content type of the streamed form, if there is one. */
  readonly streamType?: string;
  readonly headers?: readonly (keyof typeof ANSWER_HEADERS)[];
}

/** Request headers that operations name. */
export const REQUEST_HEADERS = {
  'If-Match':
    'Writes only if the entry has one of these ETags, or with `*` if it exists. A revision without store id is not an ETag.',
  'Last-Event-ID':
    'The last id that was received: the stream resumes there and ignores `since`. An id of another store causes a `reset`.',
  'If-None-Match':
    'On writes only `*`, which writes only if the entry does not exist. On reads ETags: 304 if the entry has one of them.',
} as const;

/** An answer header in the OpenAPI document. */
export interface AnswerHeader {
  readonly description: string;
  /** True if every such answer has it. */
  readonly required: boolean;
  /** Regular expression that all its values match. */
  readonly pattern: string;
}

const TIME_PATTERN = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$';

/** Answer headers that operations name. */
export const ANSWER_HEADERS = {
  ETag: {
    description: 'The id of the store and the revision of the entry, in quotes.',
    required: true,
    pattern: '^"[0-9a-z]{1,32}-[1-9][0-9]*"$',
  },
  'Updated-At': {description: 'Time of the last write (RFC 3339, UTC).', required: true, pattern: TIME_PATTERN},
  'Expires-At': {
    description: 'Time of expiry (RFC 3339, UTC); absent for never.',
    required: false,
    pattern: TIME_PATTERN,
  },
  'Written-By': {
    description: 'The caller that wrote it; absent if it is not known, as of programs without a token.',
    required: false,
    pattern: PRINCIPAL_PATTERN,
  },
  'Content-Disposition': {
    description: 'A file name, with the revision.',
    required: true,
    pattern: '^attachment; filename="[^"]+"$',
  },
  Upgrade: {description: 'The new protocol.', required: true, pattern: '^websocket$'},
  'Sec-WebSocket-Accept': {
    description: 'Completes the handshake (RFC 6455).',
    required: true,
    pattern: '^[A-Za-z0-9+/]{27}=$',
  },
} as const satisfies Record<string, AnswerHeader>;

/** Failures of any request, regardless of the operation. */
export const COMMON_FAILURES: readonly FailureCode[] = [
  'malformed-request',
  'invalid-header',
  'invalid-parameter',
  'foreign-origin',
  'cross-site',
  'not-a-page',
  'unmarked-request',
  'invalid-token',
  'permission-required',
  'token-required',
  'foreign-host',
  'other-user',
  'request-timeout',
  'headers-too-large',
  'too-many-connections',
  'too-many-bodies',
  'user-lookup-failed',
  'internal',
];

/** Failures of every body that is read as JSON. */
export const JSON_BODY_FAILURES: readonly FailureCode[] = [
  'invalid-json',
  'value-too-deep',
  'value-too-large',
  'unsupported-body',
];

/** Operations by path and method. A test compares them with the routes. */
export type Operations = Readonly<Record<string, {readonly [M in Method]?: OperationDescription}>>;

/** Gives operations a tag, unless they have one. */
export function tagged(tag: Tag, operations: Operations): Operations {
  const withTag = (methods: Operations[string]): Operations[string] =>
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, {tag, ...operation}]));
  return Object.fromEntries(Object.entries(operations).map(([path, methods]) => [path, withTag(methods)]));
}

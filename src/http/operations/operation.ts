import type {GenericSchema} from 'valibot';
import {PRINCIPAL_PATTERN} from '../../core/documents/answers/answer-kinds.ts';
import type {FailureCode} from '../../core/failures/failure.ts';
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
  /** Absent if there is none. */
  readonly body?: RequestBody;
  /** Answers by status. Without a schema there is no body. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** Failures besides {@link COMMON_FAILURES}. */
  readonly failures?: readonly DescribedFailure[];
  /** Description of answers with any status and any content besides these; absent if there are none. */
  readonly anyAnswer?: string;
}

/** A body of a request in the OpenAPI document. */
export interface RequestBody {
  readonly description: string;
  /** @default {'application/json'} */
  readonly contentType?: string;
  /** A string is any JSON; without a schema the body is text. */
  readonly schema?: GenericSchema | 'Value' | 'MergePatch';
  readonly example?: unknown;
}

/** An answer in the OpenAPI document. */
export interface AnswerDescription {
  readonly description: string;
  /** `Value` is any JSON. */
  readonly schema?: GenericSchema | 'Value';
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
    'The last id that was received: the stream resumes there and ignores `after`. An empty one is none; any other that is no id of this store causes a `reset`.',
  'If-None-Match':
    'On writes only `*`, which writes only if the entry does not exist. On reads ETags: 304 if one of them is that of the answer.',
} as const;

/** An answer header in the OpenAPI document. */
export interface AnswerHeader {
  readonly description: string;
  /** @default {its key} */
  readonly name?: string;
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
  'ETag of a document': {
    name: 'ETag',
    description: 'Changes with the document, as this caller gets it.',
    required: true,
    pattern: '^"[0-9A-Za-z_-]{43}"$',
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

/** A failure by its code, and by its cases if the operation has not all of them. */
export type DescribedFailure = FailureCode | `${FailureCode} ${string}`;

/** Body of operations that take any JSON. */
export const ANY_JSON: RequestBody = {
  description: 'A JSON text. It is read as JSON whatever the content type says, except multipart and patches.',
  schema: 'Value',
  example: {volume: 0.5},
};

/** Failures of any request, regardless of the operation. */
export const COMMON_FAILURES: readonly DescribedFailure[] = [
  'malformed-request',
  'invalid-header',
  'invalid-parameter',
  'foreign-page',
  'not-a-page',
  'invalid-token',
  'permission-required',
  'token-required',
  'foreign-host',
  'other-user',
  'too-slow request',
  'headers-too-large',
  'busy',
  'unavailable',
  'internal',
];

/** Failures of every body that is read as JSON. */
export const JSON_BODY_FAILURES: readonly DescribedFailure[] = [
  'invalid-json',
  'value-too-deep',
  'too-large body',
  'unsupported-body',
];

/** Operations by method and path, such as `GET /api/keys`. A test compares them with the routes. */
export type Operations = Readonly<Record<`${Method} /${string}`, OperationDescription>>;

/** Gives operations a tag, unless they have one. */
export function tagged(tag: Tag, operations: Operations): Operations {
  return Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, {tag, ...operation}]));
}

/** Promise of an operation: `docs/stability.md` says what each level means. */
export type Stability = 'stable' | 'tooling' | 'internal';

/** Paths that only the pages of the service use. */
const INTERNAL = /^\/(docs.*)?$|^\/api\/(snapshots|access\/(codes|refused|pages|page-tokens)|play-sound\/\{sound\})$/;

/** Paths for developers and owners. */
const TOOLING = /^\/api\/(access|allowed-origins|faults|flight|pilots|requests|stop)(\/|$)|^\/api\/plugins(\/\{|$)/;

/** Returns the level of the operations of a path. */
export function stabilityOf(path: string): Stability {
  if (INTERNAL.test(path)) return 'internal';
  return TOOLING.test(path) ? 'tooling' : 'stable';
}

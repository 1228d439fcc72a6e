import {hasShape, type Shape, type ShapeOf} from '../../domain/shape.ts';

/** Thrown for a document that the service does not write. The message names the problem. */
export class UnexpectedDocument extends Error {
  constructor(message = 'it is not a document of this service', options?: ErrorOptions) {
    super(message, options);
  }
}

/**
 * Parses a document of the service.
 *
 * @throws {UnexpectedDocument} If it is not JSON, or not of this shape.
 */
export function readDocument<T>(json: string, shape: ShapeOf<T>): T {
  return assertShape(parseDocument(json), shape);
}

/** Parses JSON. @throws {UnexpectedDocument} */
export function parseDocument(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new UnexpectedDocument('it is not JSON', {cause});
  }
}

/** Returns a document that has a shape. @throws {UnexpectedDocument} If it has not. */
export function assertShape<T>(document: unknown, shape: ShapeOf<T>): T {
  if (!hasShape(document, shape as Shape)) throw new UnexpectedDocument();
  return document as T;
}

/** Returns when an entry or a session expires; without the member if it never does. @throws {UnexpectedDocument} */
export function readExpiry(expiresAt: string | undefined): {readonly expiresAtMs?: number} {
  return expiresAt === undefined ? {} : {expiresAtMs: readTime(expiresAt)};
}

/** Returns a time (RFC 3339) in milliseconds since the Unix epoch. @throws {UnexpectedDocument} */
export function readTime(text: string): number {
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw new UnexpectedDocument();
  return timeMs;
}

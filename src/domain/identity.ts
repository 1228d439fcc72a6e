/** The identity document: who the pilot is, exactly as the source has it. */
export interface Identity {
  /** The document as JSON text in UTF-8, made once per change and never changed after that. */
  readonly json: Uint8Array;
  /** A line for people: the pilot and the airline, such as `Ada Quill (CRW0042), Crewroom Air`. */
  readonly summary: string;
}

/** Where an identity comes from. */
export type IdentityOrigin =
  | {readonly kind: 'profile'; readonly file: string}
  | {readonly kind: 'sample'}
  | {readonly kind: 'none'};

/** The port of whatever knows who the pilot is. */
export interface IdentitySource extends AsyncDisposable {
  readonly origin: IdentityOrigin;

  /** The identity now, or undefined when nobody is signed in. */
  current(): Identity | undefined;

  /** Calls back after each change of {@link current}. @returns A function that ends this. */
  onChange(listener: () => void): () => void;

  /** Releases what it watches. Disposing twice is fine. */
  [Symbol.asyncDispose](): Promise<void>;
}

// An identity source for a client that signs its pilots in itself.
// @ts-check

/** @returns {import('crewroom').IdentitySource & {use(document?: import('crewroom').IdentityDocument): void}} */
export function createOwnSource(scriptURL = 'https://air.example/back-end/') {
  /** @type {Set<() => void>} */
  const listeners = new Set();
  /** @type {import('crewroom').Identity | undefined} */
  let identity;
  return {
    origin: {kind: 'back-end', scriptURL},
    current: () => identity,
    onChange(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    /** Serves the document of the pilot who signed in; without one, no pilot is signed in. */
    use(document) {
      const name = `${document?.va_user.firstName} ${document?.va_user.lastName}`;
      identity = document && {json: new TextEncoder().encode(JSON.stringify(document)), summary: name};
      for (const call of listeners) {
        try {
          call();
        } catch (error) {
          console.error(error);
        }
      }
    },
    [Symbol.asyncDispose]: async () => listeners.clear(),
  };
}

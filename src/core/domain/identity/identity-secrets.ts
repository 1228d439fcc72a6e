/** Shortest secret that is masked, in UTF-16 units: shorter ones are parts of words. Back ends send twenty and more. */
export const SECRET_LENGTH_MIN = 8;

/** Returns the secrets of an identity document: the session of the pilot, and the tokens of accounts on platforms. */
export function findSecrets(identity: unknown): readonly string[] {
  const {va_user: pilot, ...others}: {readonly va_user?: unknown} = Object(identity);
  const accounts = Object.entries(others).filter(([name]) => name.endsWith('_design_user'));
  return [textAt(pilot, 'session'), ...accounts.map(([, account]) => textAt(account, 'token'))].filter(
    secret => secret.length >= SECRET_LENGTH_MIN,
  );
}

function textAt(value: unknown, name: string): string {
  const member: unknown = Reflect.get(Object(value), name);
  return typeof member === 'string' ? member : '';
}

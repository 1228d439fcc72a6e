/** Returns whether a text has the form of a token of the service: 256 random bits in base64url after a prefix. */
export function isTokenText(text: string): boolean {
  return /^crewroom_[\w-]{43}$/.test(text);
}

/** Problem of a text without this form. */
export const TOKEN_PROBLEM = 'it is not "crewroom_" and 43 characters';

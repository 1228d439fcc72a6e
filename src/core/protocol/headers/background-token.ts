/** Header, in lower case, with the token by which the process of a background proves its plugin. The runtime of backgrounds adds it. */
export const BACKGROUND_TOKEN_HEADER = 'x-crewroom-token';

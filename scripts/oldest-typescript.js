/** The oldest TypeScript that reads the declarations, which docs/client.md says: `npm run check:package` compiles with it, too. */
export const OLDEST_TYPESCRIPT = 'typescript@5.2.2';

/** Closes one after the other, also if one of them fails. @throws What the last one that failed threw. */
export async function closeAll([first, ...others]: readonly AsyncDisposable[]): Promise<void> {
  try {
    await first?.[Symbol.asyncDispose]();
  } finally {
    if (others.length > 0) await closeAll(others);
  }
}

/** Explains why a store of a kind is read-only, with what to do: `GET /readyz` does not say it. */
export function explainReadOnly(storeKind: string): string {
  return storeKind === 'etcd'
    ? 'etcd has no space left (compact and defragment it, and clear its alarm), or its user may not write'
    : 'the disk failed; check it, then start the service again';
}

import type {Identity, IdentitySource} from '../../core/domain/identity/identity.ts';
import {findSecrets} from '../../core/domain/identity/identity-secrets.ts';
import {hideSecrets} from '../../core/domain/redaction.ts';

/** Returns a source that masks the secrets of each identity in its summary, which goes to logs and pages: a program may have made it of any member. */
export function maskSummaries(source: IdentitySource): IdentitySource {
  const masked = new WeakMap<Identity, Identity>();
  return {
    get origin() {
      return source.origin;
    },
    current() {
      const identity = source.current();
      if (identity === undefined) return undefined;
      const shown = masked.get(identity) ?? maskSummary(identity);
      masked.set(identity, shown);
      return shown;
    },
    onChange: listener => source.onChange(listener),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

function maskSummary(identity: Identity): Identity {
  const secrets = findSecrets(JSON.parse(new TextDecoder().decode(identity.json)));
  const summary = hideSecrets(identity.summary, secrets);
  return summary === identity.summary ? identity : {...identity, summary};
}

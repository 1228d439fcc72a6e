/** Mutants that change nothing that a caller could see: by their file, then by `line => replacement`, with the reason. */
export const EQUIVALENT = {
  'http/core/guard.ts': {
    "if (target.startsWith('/')) return {target}; => false":
      'spares nearly all requests the search below, which finds nothing in a path',
    'const [, host, path = \'/\'] = /^http:\\/\\/([^/?#]*)(\\/.*)?$/i.exec(target) ?? []; => ["Stryker was here"]':
      'the first element is not read',
    'const own = `http://${headers.host[0]?.toLowerCase()}`; => headers.host[0].toLowerCase':
      'a request without a host was refused before',
    'function findOriginProblem({origin: [origin = \'\', second]}: RequestHeaders, {mayCall}: Site): Failure | undefined { => "Stryker was here!"':
      'called only for a request with an origin',
    "if (isUnmarked(target, headers, site)) return {code: 'foreign-page', why: 'unmarked', host: shorten(headers.host[0] ?? '')}; => \"Stryker was here!\"":
      'a request without a host was refused before',
    "const path = target.split('?', 1)[0] ?? ''; => \"Stryker was here!\"": 'a text has a first part',
    "const [destination = '', second] = headers['sec-fetch-dest']; => \"Stryker was here!\"":
      'neither is a kind of request',
  },
  'service/access/permission.ts': {
    'const [, action, prefix = \'\'] = /^entries:(read|write):(.*)$/s.exec(text) ?? []; => "Stryker was here!"':
      'without a prefix there is no action',
    "const [, action, prefix = ''] = /^entries:(read|write):(.*)$/s.exec(text) ?? []; => /^entries:(read|write):(.*)/s":
      'the group takes the rest',
    'const [, action, prefix = \'\'] = /^entries:(read|write):(.*)$/s.exec(text) ?? []; => ["Stryker was here"]':
      'the first element is not read',
    "if (error instanceof AppError && error.failure?.code === 'invalid-parameter') return error.failure.problem; => true":
      'a prefix is refused with this failure alone',
    "if (error instanceof AppError && error.failure?.code === 'invalid-parameter') return error.failure.problem; => error instanceof AppError || error.failure?.code === 'invalid-parameter'":
      'a prefix is refused with this failure alone',
    'const [, beginning, keyOrPrefix = \'\'] = /^(entries:(?:read|write):)(.*)$/s.exec(needed) ?? []; => "Stryker was here!"':
      'without a beginning it is not read',
    "const [, beginning, keyOrPrefix = ''] = /^(entries:(?:read|write):)(.*)$/s.exec(needed) ?? []; => /(entries:(?:read|write):)(.*)$/s":
      'no other action contains it',
    "const [, beginning, keyOrPrefix = ''] = /^(entries:(?:read|write):)(.*)$/s.exec(needed) ?? []; => /^(entries:(?:read|write):)(.*)/s":
      'the group takes the rest',
    'const [, beginning, keyOrPrefix = \'\'] = /^(entries:(?:read|write):)(.*)$/s.exec(needed) ?? []; => ["Stryker was here"]':
      'the first element is not read',
    'principal: this.principal ?? \'unknown\', => ""':
      'a caller without a principal needs credentials, not a permission',
    'case \'permitted\': => ""': 'no other case has it, and nothing follows',
  },
  'service/access/admit.ts': {
    'const [value = \'\', second] = authorizations; => "Stryker was here!"':
      'a request without Authorization was admitted before',
    '[token = \'\', second]: readonly string[], => "Stryker was here!"': 'called only with a token',
    'const [, token] = TOKEN.exec(value) ?? []; => ["Stryker was here"]': 'the first element is not read',
    'if (admitted.length === 0) return new PrincipalCaller({...parts, granted: []}); => ["Stryker was here"]':
      'includes no action',
    'mode === \'open\' ? ANY_CALLER : new PrincipalCaller({mode, principal: undefined, isProved: false, granted: []}); => ["Stryker was here"]':
      'includes no action',
    'stop(); => ;': 'the listener does nothing',
  },
  'service/access/refused-requests.ts': {
    'if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest); => true':
      'there is an oldest one',
  },
  'service/access/allowed-origins.ts': {
    'const [oldest = \'\'] = this.#refused.keys(); => "Stryker was here!"': 'one was added in the line before',
  },
  'service/access/grants/grant-register.ts': {
    'if (listeners.size === 0 && this.#listeners.get(plugin) === listeners) this.#listeners.delete(plugin); => ;':
      'frees the memory of an empty set',
    'if (listeners.size === 0 && this.#listeners.get(plugin) === listeners) this.#listeners.delete(plugin); => false':
      'frees the memory of an empty set',
    '.sort((one, other) => (one.plugin < other.plugin ? -1 : 1)); => one.plugin <= other.plugin':
      'no id is there twice',
  },
  'service/access/pages/page-proofs.ts': {
    'const LABEL = /^[a-z0-9_-]{1,30}-[0-9a-f]{32}$/; => /[a-z0-9_-]{1,30}-[0-9a-f]{32}$/':
      'spares the comparison, which finds none',
    'const LABEL = /^[a-z0-9_-]{1,30}-[0-9a-f]{32}$/; => /^[a-z0-9_-]{1,30}-[0-9a-f]{32}/':
      'spares the comparison, which finds none',
    'if (!LABEL.test(label)) return undefined; => false': 'spares the comparison, which finds none',
    'if (known !== undefined) return known; => false': 'spares the HMAC, which is equal',
    'this.#labels.set(id, label); => ;': 'spares the HMAC, which is equal',
    'if (!/^[A-Za-z0-9_-]{43}$/.test(text)) throw new Error(\'it is not a key\'); => ""':
      'without a failure of its own a wrong file counts as missing',
  },
  'service/access/owner-file.ts': {
    'if (!isTokenText(token)) throw new Error(\'it is not a token\'); => ""':
      'without a failure of its own a wrong file counts as missing',
    'isDurable: false, => true': 'is only slower: a service that starts again writes another token',
  },
  'service/access/owner.ts': {
    "if (token === undefined || !this.isOwner(token)) throw new AppError({code: 'owner-required'}); => false":
      'isOwner() refuses it as well',
    'await rm(this.#file.path, {force: true}).catch(() => {}); => {}': 'any failure is ignored',
    'await rm(this.#file.path, {force: true}).catch(() => {}); => false': 'any failure is ignored',
  },
  'store/plan/plan-commits.ts': {
    "if (only?.kind !== 'put' || operations.length > 1 || checks.length > 0) return undefined; => true":
      'the general path plans the same',
    'if (only?.kind !== \'put\' || operations.length > 1 || checks.length > 0) return undefined; => ""':
      'the general path plans the same',
    "if (only?.kind !== 'put' || operations.length > 1 || checks.length > 0) return undefined; => operations.length >= 1":
      'the general path plans the same',
    "if (only?.kind !== 'put' || operations.length > 1 || checks.length > 0) return undefined; => checks.length >= 0":
      'the general path plans the same',
    'const json = state === undefined ? undefined : (this.writes.get(key)?.put?.json ?? this.#start.jsonOf(key)); => this.writes.get(key)?.put.json':
      'after a removal there is no state',
    'return json === undefined ? undefined : {json, expiresAtMs: state?.expiresAtMs}; => state.expiresAtMs':
      'without a state there is no value',
    'if (!this.writes.has(key)) this.#found.set(key, state); => true': 'the write is found first',
  },
  'store/plan/prepare-commit.ts': {
    'if (json.length < EARLY_RECORD_BYTES_MIN) return {kind, key, json: copies.add(json), expiry, record: undefined}; => false':
      'decides when the record begins, not what is in it',
    'const isOnly = json.length === this.#buffer.length; => false': 'a part as long as the whole is equal to it',
    "return operation.kind === 'put' && operation.json.length < EARLY_RECORD_BYTES_MIN ? operation.json.length : 0; => operation.json.length <= EARLY_RECORD_BYTES_MIN":
      'only takes more memory',
    "return operation.kind === 'put' && operation.json.length < EARLY_RECORD_BYTES_MIN ? operation.json.length : 0; => true":
      'only takes more memory',
  },
  'store/plan/plan.ts': {
    'if (!operations.some(isPartial)) return operations as readonly ResolvedOperation<O>[]; => false':
      'spares the loop, which keeps such operations',
    'const {valueBytesMax, valueDepthMax} = limits ?? {valueBytesMax: Infinity, valueDepthMax: Infinity}; => {}':
      'no size and no depth is above an undefined one',
  },
  'store/wal/memtable.ts': {
    'const keys = this.#writes.size < keysMax ? undefined : new Set<Key>(); => false':
      'spares a set; the first groups have no more keys than all',
    'if (revision <= from) continue; => false': 'spares the search of a group whose changes are all skipped below',
    'if (revision <= from) continue; => revision < from':
      'spares the search of a group whose changes are all skipped below',
    "return change.kind === 'put' && change.json !== undefined ? {...change, json: copyJson(change.json)} : change; => true":
      'of its first part: a removal has no value',
  },
  'store/wal/recovery.ts': {
    '.filter(({first, storeId}, index, all) => first !== all[index - 1]?.first || storeId !== all[index - 1]?.storeId); => all[index - 1].storeId':
      'the first record differs from a missing one in its revision before',
    "return `its write-ahead log (${WAL_FILES.join(', ')}) has the commits ${foreign.first} to ${records.at(-1)?.last} of another data.mdb than the one beside it; put that data.mdb back`; => records.at(-1).last":
      'a record was found before',
    'return `its write-ahead log lacks the commits ${missing} to ${(records[end]?.first ?? missing) - 1}`; => records[end].first':
      'a gap is before a record',
    'const found: FoundHeader[] = []; => ["Stryker was here"]': 'without a revision and a record it is skipped',
    'for (let at = 0; at < content.length; ) { => at <= content.length': 'there is no header at the end',
    'const end = nextBeginning(header === undefined || changes === undefined ? at + 1 : header.end); => false':
      'of its first part: without a header there are no changes',
    'if (header !== undefined) { => true': 'without a revision and a record it is skipped',
    'const sealed = bytes?.subarray(sealedPosition(at), sealedPosition(end)) ?? Buffer.alloc(0); => bytes.subarray':
      'a missing file has no headers',
    'const isNext = header !== undefined && header.first > known; => header.first >= known':
      'no revision is given twice',
  },
  'store/wal/replay.ts': {
    'revision: changes.at(-1)?.revision ?? 0, => changes.at(-1).revision': 'a record has at least one change',
    'return stateOf(key)?.expiresAtMs; => stateOf(key).expiresAtMs': 'an error here comes to the same',
    '} catch { => {}': 'returns undefined all the same',
  },
  'store/wal/wal-format.ts': {
    'record.writeUIntBE(changes[0]?.revision ?? 0, AT.first, NUMBER_BYTES); => changes[0].revision':
      'a record has at least one change',
    'record.writeUIntBE(changes.at(-1)?.revision ?? 0, AT.last, NUMBER_BYTES); => changes.at(-1).revision':
      'a record has at least one change',
    'record.write(storeId, AT.storeId, ID_BYTES_MAX, \'latin1\'); => ""':
      'an id of a store is ASCII, which is the same in UTF-8',
    "storeId: header.toString('latin1', AT.storeId).replace(/\\0+$/, ''), => /\\0+/":
      'an id of a store has no zero bytes',
  },
  'store/wal/write-ahead-log.ts': {
    'if (this.#spoiled !== undefined) await eraseRecord(this.#spoiled).catch(() => {}); => true':
      'of nothing it rejects, which is caught',
  },
  'service/access/token-hash.ts': {
    'const [oldest = \'\'] = this.#recent.keys(); => "Stryker was here!"': 'used only if there are 16',
  },
  'service/access/token-register.ts': {
    'this.#listeners.delete(token); => ;': 'frees memory: a token that was revoked is never revoked again',
    'this.#leftMs({...requested, permissions: [], createdAtMs: 0}) > 0 ? undefined : \'is not in the future\', => ["Stryker was here"]':
      'the permissions are not read',
    'return []; => ["Stryker was here"]': 'a permission with a problem is refused with all others',
  },
};

import {type ArgumentSpec, DRY_RUN_FLAG, grouped, IF_MATCH_FLAG, SNAPSHOT_FLAG} from './spec.ts';
import {COUNT, DURATION, revisionFrom} from './value-forms.ts';

const KEY: ArgumentSpec = {name: 'KEY', description: 'the key, exactly; after -- if it begins with "-"'};

const TTL_FLAG = {
  ttl: {placeholder: 'TIME', description: 'expire after this time, such as 90s, 15m, 12h or 30d', value: DURATION},
} as const;

const PREFIX: ArgumentSpec = {name: 'PREFIX', description: 'only keys that begin with it', optional: true};

/** Commands of entries and the identity. */
export const DATA_COMMANDS = grouped('Data', {
  identity: {
    summary: 'Print the identity document that plugins get',
    flags: {pretty: {description: 'print it indented, also into a file'}},
    examples: [
      ['crewroom identity', 'the pilot, the airline and the account'],
      ['crewroom identity --pretty > me.json', 'a profile to edit, for start --profile'],
    ],
  },
  get: {
    summary: 'Print the value of an entry, byte for byte',
    arguments: [KEY],
    examples: [
      ['crewroom get com.example.hello/greeting', 'the JSON text that was stored'],
      ['crewroom get greeting > greeting.json', 'keep it in a file'],
    ],
  },
  put: {
    summary: 'Store a JSON value under a key',
    arguments: [KEY, {name: 'VALUE', description: 'JSON text, "-" for standard input, or "@FILE"'}],
    flags: {...IF_MATCH_FLAG, ifAbsent: {description: 'only if there is no entry yet'}, ...TTL_FLAG},
    examples: [
      [`crewroom put greeting '"hello"'`, 'a string, with its own quotes'],
      [`crewroom put flight '{"from": "EGLL", "to": "LPPT"}'`, 'an object'],
      ['crewroom put flight @flight.json', 'the content of a file'],
      ['curl -s https://… | crewroom put metar -', 'standard input'],
      ['crewroom put flight @flight.json --if-match 12', 'only if it has not changed since'],
      ['crewroom put token @token.json --ttl 15m', 'expires in 15 minutes'],
    ],
    notes: ['Without --ttl the entry does not expire, even if it did before.'],
  },
  patch: {
    summary: 'Change members of a JSON value',
    arguments: [KEY, {name: 'PATCH', description: 'JSON merge patch, "-" for standard input, or "@FILE"'}],
    flags: IF_MATCH_FLAG,
    examples: [
      [`crewroom patch flight '{"to": "LPMA"}'`, 'set one member, leave the others'],
      [`crewroom patch flight '{"alternate": null}'`, 'remove a member'],
      [`crewroom patch flight '{"fuel": {"taxi": 200}}'`, 'objects are merged member by member'],
      ['crewroom patch flight @changes.json', 'the content of a file'],
    ],
    notes: ['A patch is a JSON Merge Patch (RFC 7396). Without an entry it creates one.'],
  },
  touch: {
    summary: 'Change when an entry expires, and keep its value',
    arguments: [KEY],
    flags: {
      ttl: {placeholder: 'TIME', description: 'time from now, such as 90s, 15m, 12h or 30d', value: DURATION},
      forever: {description: 'do not expire'},
      ...IF_MATCH_FLAG,
    },
    examples: [
      ['crewroom touch token --ttl 12h', 'expires in 12 hours'],
      ['crewroom touch token --forever', 'does not expire'],
    ],
  },
  edit: {
    summary: 'Edit a JSON value in your editor',
    arguments: [KEY],
    flags: IF_MATCH_FLAG,
    ownForms: true,
    examples: [
      ['crewroom edit com.example.hello/settings', 'in $VISUAL, $EDITOR or vi'],
      ['EDITOR="code --wait" crewroom edit flight', 'in an editor with a window'],
    ],
    notes: [
      'If the entry has changed meanwhile, your version is kept in a file, not stored.',
      'An entry that expires keeps its time to live, to the second.',
    ],
  },
  list: {
    summary: 'List entries in the order of their keys',
    arguments: [PREFIX],
    flags: {
      limit: {placeholder: 'N', description: 'maximum number of entries', value: COUNT},
      after: {placeholder: 'KEY', description: 'only keys after this one'},
      reverse: {description: 'from the last key to the first'},
      values: {description: 'print the values too'},
    },
    examples: [
      ['crewroom list', 'every entry'],
      ['crewroom list com.example.hello/ --values', 'the entries of one plugin'],
      ['crewroom list --json --values > entries.ndjson', 'everything, for programs'],
    ],
    notes: ['Each value is printed on one line, with spaces in place of line breaks.'],
  },
  watch: {
    summary: 'Show changes as they happen',
    arguments: [PREFIX],
    flags: {
      after: {
        placeholder: 'REVISION',
        description: 'begin with the changes after this revision',
        value: revisionFrom(0),
      },
      initial: {description: 'begin with the present entries'},
    },
    examples: [
      ['crewroom watch', 'everything, until Ctrl+C'],
      ['crewroom watch com.example.hello/ --initial', 'entries of one plugin, then its changes'],
      ['crewroom watch --json --after 12 | jq .key', 'for programs, after revision 12'],
    ],
    notes: ['After a restart of the service it reconnects and continues where it was.'],
  },
  history: {
    summary: 'Show the earlier values of an entry',
    arguments: [KEY],
    flags: {
      at: {placeholder: 'REVISION', description: 'print its value then, byte for byte', value: revisionFrom(1)},
      limit: {placeholder: 'N', description: 'maximum number of changes, 100 by default', value: COUNT},
    },
    examples: [
      ['crewroom history greeting', 'its changes, newest first'],
      ['crewroom history greeting --at 12 > greeting.json', 'the value at revision 12'],
    ],
    notes: ['It reaches as far as the log of the last 100,000 changes or 64 MiB.'],
  },
  restore: {
    summary: 'Store an earlier value of an entry again',
    arguments: [KEY],
    flags: {
      at: {placeholder: 'REVISION', description: 'the value that it had then', value: revisionFrom(1)},
      ...IF_MATCH_FLAG,
      ifAbsent: {description: 'only if there is no entry'},
      ...TTL_FLAG,
    },
    examples: [['crewroom restore greeting --at 12', 'as it was at revision 12, also if it was deleted']],
    notes: ['It is refused if the entry changes meanwhile.', 'Without --ttl the entry does not expire.'],
  },
  delete: {
    summary: 'Delete an entry, or all under a prefix',
    arguments: [{...KEY, optional: true}],
    flags: {
      ...IF_MATCH_FLAG,
      prefix: {placeholder: 'PREFIX', description: 'delete every entry whose key begins with it'},
      ...DRY_RUN_FLAG,
      yes: {description: 'do not ask'},
      ...SNAPSHOT_FLAG,
    },
    examples: [
      ['crewroom delete greeting', 'one entry; exit code 3 if there is none'],
      ['crewroom delete --prefix com.example.hello/', 'all entries of one plugin'],
      ['crewroom delete --prefix com.example.hello/ --yes', 'without asking'],
    ],
    notes: ['More than 100 entries are saved as a snapshot first, which it names.'],
  },
  reset: {
    summary: 'Delete every entry',
    flags: {...DRY_RUN_FLAG, yes: {description: 'do not ask'}, ...SNAPSHOT_FLAG},
    examples: [
      ['crewroom reset', 'asks first'],
      ['crewroom reset --yes', 'without asking, such as between two tests'],
    ],
    notes: [
      'They are saved as a snapshot first, which it names; not with start --ephemeral.',
      'Entries are deleted in batches of 1,000. Revisions continue: none is used twice.',
    ],
  },
});

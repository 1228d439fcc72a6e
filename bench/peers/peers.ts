import type {SubjectKind} from '../subjects/subject.ts';
import {ETCD} from './etcd.ts';
import {JSON_SERVER} from './json-server.ts';
import {EXPRESS_SQLITE, UNSTORAGE} from './node-peers.ts';
import {WEBDIS} from './webdis.ts';

/** Alternatives to Crewroom. */
export const PEERS: readonly SubjectKind[] = [WEBDIS, ETCD, EXPRESS_SQLITE, UNSTORAGE, JSON_SERVER];

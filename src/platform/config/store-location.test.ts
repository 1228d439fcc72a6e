import assert from 'node:assert/strict';
import {resolve} from 'node:path';
import {describe, test} from 'vitest';
import {locateStore, readStoreSetting} from './store-location.ts';

const NONE = {tls: undefined, user: undefined};

describe('readStoreSetting()', () => {
  const accepted = [
    {text: 'lmdb', location: {kind: 'lmdb'}},
    {text: 'memory', location: {kind: 'memory'}},
    {
      text: 'etcd://a,b,a:2379/crew',
      location: {kind: 'etcd', members: ['a:2379', 'b:2379'], prefix: 'crew/', ...NONE},
    },
    {text: 'etcd://a/crew?tls=OFF', location: {kind: 'etcd', members: ['a:2379'], prefix: 'crew/', ...NONE}},
    {text: 'etcd://a/crew', location: {kind: 'etcd', members: ['a:2379'], prefix: 'crew/', ...NONE}},
    {
      text: 'etcd://a:1,[::1]:2,c.example/crew/room',
      location: {kind: 'etcd', members: ['a:1', '[::1]:2', 'c.example:2379'], prefix: 'crew/room/', ...NONE},
    },
    {
      text: 'etcd://a/crew?ca=ca.pem&cert=/c.pem&key=k.pem&user=crew&password-file=p',
      location: {
        ...{kind: 'etcd', members: ['a:2379'], prefix: 'crew/'},
        tls: {ca: resolve('/base/ca.pem'), cert: resolve('/c.pem'), key: resolve('/base/k.pem')},
        user: {name: 'crew', passwordFile: resolve('/base/p')},
      },
    },
  ];
  for (const {text, location} of accepted) {
    test(`reads ${text}, with absolute paths`, () => {
      const reading = readStoreSetting(text, {workingDirectory: '/base', homeDir: '/home/me'});
      assert.ok('value' in reading, 'problem' in reading ? reading.problem : '');
      assert.deepEqual(locateStore(reading.value), location);
    });
  }

  test.each(['true', 'Yes', '1'])('uses the authorities of the system with tls=%s', tls => {
    const location = locateStore(`etcd://a/crew?tls=${tls}`);
    assert.deepEqual(location.kind === 'etcd' && location.tls, {ca: undefined, cert: undefined, key: undefined});
  });

  const refused = [
    {given: 7, problem: /has to be lmdb, memory/},
    {given: 'redis://a', problem: /has to be lmdb, memory/},
    {given: 'etcd://', problem: /has to be lmdb, memory/},
    {given: 'etcd://a', problem: /needs a prefix/},
    {given: `etcd://a/${'x'.repeat(64)}`, problem: /more than 63 characters/},
    {given: 'etcd://a/crew room', problem: /needs a prefix/},
    {given: 'etcd://me:secret@a/crew', problem: /must not have a user or a password/},
    {given: 'etcd://a:70000/crew', problem: /"a:70000", which is not a host/},
    {given: 'etcd://a,,b/crew', problem: /"", which is not a host/},
    {given: 'etcd://a/crew?password=x', problem: /unknown or repeated parameter "password"/},
    {given: 'etcd://a/crew?ca=x&ca=y', problem: /unknown or repeated parameter "ca"/},
    {given: 'etcd://a/crew?ca=', problem: /no value for ca/},
    {given: 'etcd://a/crew?cert=x', problem: /cert and key together/},
    {given: 'etcd://a/crew?user=x', problem: /user and password-file together/},
    {given: 'etcd://a/crew?tls=maybe', problem: /tls=true or tls=false only/},
    {given: 'etcd://a/crew?tls=off&ca=x', problem: /has tls=false, and files/},
  ];
  for (const {given, problem} of refused) {
    test(`refuses ${JSON.stringify(given)}`, () => {
      const reading = readStoreSetting(given, {workingDirectory: '/base', homeDir: '/home/me'});
      assert.match('problem' in reading ? reading.problem : '', problem);
    });
  }
});

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHostPort } from '@weft/wire'
import { covers } from './listen-address.ts'

const addresses: [string, string, number][] = [
  ['127.0.0.1:1280', '127.0.0.1', 1280],
  ['[::1]:1280', '::1', 1280],
  ['[::]:0', '::', 0],
  ['ctrl.example:65535', 'ctrl.example', 65_535],
  [':1280', '', 1280],
]

for (const [text, host, port] of addresses) {
  test(`${text} is an address`, () => assert.deepEqual(parseHostPort(text), { host, port }))
}

for (const text of [
  '',
  'host',
  'host:',
  'host:x',
  'host:65536',
  'host:-1',
  'host:1.5',
  'host:1e3',
  'host: 80',
  '::1:80',
  '[::1]',
  '[x]:80',
  'a b:80',
]) {
  test(`${JSON.stringify(text)} is none`, () => assert.equal(parseHostPort(text), undefined))
}

const pairs: readonly [listening: string, wanted: string, isCovered: boolean][] = [
  ['127.0.0.1:1280', '127.0.0.1:1280', true],
  ['0.0.0.0:1280', '127.0.0.1:1280', true],
  ['[::]:1280', '127.0.0.1:1280', true],
  [':1280', '[::1]:1280', true],
  ['127.0.0.1:1280', '0.0.0.0:1280', false],
  ['0.0.0.0:1280', '127.0.0.1:6262', false],
  ['0.0.0.0:0', '127.0.0.1:0', false],
  ['nonsense', '127.0.0.1:1280', false],
]

for (const [listening, wanted, isCovered] of pairs) {
  test(`${listening} ${isCovered ? 'gets' : 'does not get'} what is meant for ${wanted}`, () => {
    assert.equal(covers(listening, wanted), isCovered)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseListenAddress } from './listen-address.ts'

const addresses: [string, string, number][] = [
  ['127.0.0.1:1280', '127.0.0.1', 1280],
  ['[::1]:1280', '::1', 1280],
  ['[::]:0', '::', 0],
  ['ctrl.example:65535', 'ctrl.example', 65_535],
  [':1280', '', 1280],
]

for (const [text, host, port] of addresses) {
  test(`${text} is an address`, () => assert.deepEqual(parseListenAddress(text), { host, port }))
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
  test(`${JSON.stringify(text)} is none`, () => assert.equal(parseListenAddress(text), undefined))
}

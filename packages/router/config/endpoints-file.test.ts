import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { findFirstControllers, type KnownController, readEndpointsFile, writeEndpointsFile } from './endpoints-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-endpoints-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const address = (text: string) => {
  const [protocol = '', host = '', port = ''] = text.split(':')
  return { protocol, host, port: Number(port), text }
}
const at = (name: string) => join(folder, name)
const addressesOf = (controllers: readonly KnownController[]) =>
  controllers.map(({ id, endpoints }) => [id, ...endpoints.map(({ address }) => address.text)])

test('what is written is read again, and no one else reads it', async () => {
  const controllers: KnownController[] = [
    { id: 'c1', endpoints: [{ address: address('tls:c1:6262'), groups: ['east'] }] },
    { id: '', endpoints: [{ address: address('tls:c2:6262'), groups: [] }] },
  ]
  await writeEndpointsFile(at('endpoints.yml'), controllers)
  assert.deepEqual(readEndpointsFile(at('endpoints.yml')), controllers)
  if (process.platform !== 'win32') assert.equal(statSync(at('endpoints.yml')).mode & 0o777, 0o600)
  await writeEndpointsFile(at('endpoints.yml'), [])
  assert.deepEqual(readEndpointsFile(at('endpoints.yml')), [])
})

test('the form that the peers write', () => {
  writeFileSync(
    at('endpoints.yml'),
    `controllers:
- endpoints:
  - address: tls:127.0.0.1:6262
    groups: []
  id: ""
endpoints:
- tls:127.0.0.1:6262
`,
  )
  assert.deepEqual(addressesOf(readEndpointsFile(at('endpoints.yml'))), [['', 'tls:127.0.0.1:6262']])
  writeFileSync(at('flat.yml'), 'endpoints:\n- tls:a:1\n- tls:b:1\n')
  assert.deepEqual(addressesOf(readEndpointsFile(at('flat.yml'))), [
    ['', 'tls:a:1'],
    ['', 'tls:b:1'],
  ])
})

test('what was kept wins over the configuration; what cannot be read does not', async () => {
  const ctrl = { endpoints: [address('tls:first:1')], endpointsFile: at('endpoints.yml'), isEndpointsFileNamed: false }
  const found = () => addressesOf(findFirstControllers(ctrl).controllers)
  assert.deepEqual(found(), [['', 'tls:first:1']])
  writeFileSync(at('endpoints'), 'endpoints: ["tls:former:1"]\n')
  assert.deepEqual(found(), [['', 'tls:former:1']], 'the name of older routers')
  assert.deepEqual(addressesOf(findFirstControllers({ ...ctrl, isEndpointsFileNamed: true }).controllers), [
    ['', 'tls:first:1'],
  ])
  await writeEndpointsFile(at('endpoints.yml'), [
    { id: 'c', endpoints: [{ address: address('tls:kept:1'), groups: [] }] },
  ])
  assert.deepEqual(found(), [['c', 'tls:kept:1']])
  rmSync(at('endpoints'))
  writeFileSync(at('endpoints.yml'), 'endpoints: [nonsense]\n')
  const { controllers, unreadable } = findFirstControllers(ctrl)
  assert.deepEqual(addressesOf(controllers), [['', 'tls:first:1']])
  assert.match(unreadable!.message, /endpoints\[0\] {2}wanted protocol:host:port/)
})

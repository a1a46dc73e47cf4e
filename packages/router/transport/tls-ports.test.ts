import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dial } from '@weft/wire'
import { testIdentity } from '../testing/test-router-links.ts'
import { TlsPorts } from './tls-ports.ts'

const limits = { timeout: 20_000 }
const log = { debug() {}, info() {}, warn() {}, error() {} }

test('a port is shared, shows renewed certificates, and closes with its last user', limits, async () => {
  const identity = await testIdentity('r1')
  const renewed = await testIdentity('r1')
  await using ports = new TlsPorts({ identity: () => identity, log }, { handshakeTimeout: 5_000 })
  const free = await ports.use({ host: '127.0.0.1', port: 0 })
  const { port } = free.port.address
  await free[Symbol.asyncDispose]()
  const place = { host: '127.0.0.1', port }
  const [one, other] = await Promise.all([ports.use(place), ports.use(place)])
  assert.equal(one.port, other.port)
  one.port.registerChannels(['a'], (connection) => connection.resume())
  other.port.registerChannels(['b'], (connection) => connection.resume())
  const shown = async (protocol: string) => {
    const { client, caPem } = identity
    const connection = await dial(`tls:127.0.0.1:${port}`, { protocols: [protocol], tls: { client: client!, caPem } })
    connection.destroy()
    return connection.fingerprint
  }
  assert.equal(await shown('a'), identity.servers[0]!.certificate.fingerprint)
  ports.renew(renewed)
  assert.equal(await shown('b'), renewed.servers[0]!.certificate.fingerprint)
  await one[Symbol.asyncDispose]()
  assert.ok(await shown('b'))
  await other[Symbol.asyncDispose]()
  await assert.rejects(shown('b'), { code: 'DIAL_FAILED' })
})
